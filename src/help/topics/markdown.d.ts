// The build and the tests import these files as text.
declare module "*.md" {
  const text: string;
  export default text;
}
