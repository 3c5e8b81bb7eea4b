/** A device that does `lies` instead of the methods of those names. */
import type { Device } from "../../src/run/Device.ts";

export function lyingDevice(real: Device, lies: Partial<Device>): Device {
  return new Proxy<Device>(real, {
    get(target, name) {
      const value: unknown = Reflect.get(name in lies ? lies : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
