/** `/openapi.json` of the fake server as tests need it: its operations, and checks of values against its schemas. */
import Ajv2020 from "ajv/dist/2020.js";
import { fakeServer } from "../FakeServer.ts";
import { get, inProcess, type Loose } from "../httpClient.ts";

export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Loose;
}

export interface Documentation {
  readonly schemas: Readonly<Record<string, Loose>>;
  readonly operations: readonly Operation[];
  /** Throws, naming the places, where `value` is not what the schema of this document says. */
  check(schema: Loose, value: unknown): void;
  /** The request's schema, its reference resolved. */
  bodyOf(operation: Operation): Loose;
}

export async function documentation(): Promise<Documentation> {
  const document: Loose = await (await get(inProcess(fakeServer().app), "/openapi.json")).json();
  const schemas: Readonly<Record<string, Loose>> = document.components.schemas;
  const operations = Object.entries<Loose>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Loose>(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method,
      path,
      operation,
    })),
  );
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: "doc:", ...document });
  return {
    schemas,
    operations,
    check(schema, value) {
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc:#/')));
      if (validate(value)) return;
      throw new Error(`${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
    },
    bodyOf: ({ operation }) => {
      const { schema } = operation.requestBody.content["application/json"];
      return schemas[String(schema.$ref).split("/").at(-1) ?? ""] ?? schema;
    },
  };
}

export function contentOf({ operation }: Operation, status: number): Loose {
  return operation.responses[status]?.content ?? {};
}
