/** C sources are imported as text (`with { type: "text" }`). */
declare module "*.c" {
  const text: string;
  export default text;
}
declare module "*.h" {
  const text: string;
  export default text;
}
