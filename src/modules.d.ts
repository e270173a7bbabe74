// The build and the tests import these files as text.
declare module "*.md";
declare module "*.bash";
declare module "*.zsh";
declare module "*.fish";
declare module "*.ps1";
// Has no types.
declare module "marked-man";
declare module "saxen" {
  type Decode = (text: string) => string;
  interface Events {
    openTag: (
      name: string,
      attributes: () => Record<string, string>,
      decode: Decode,
      isEmpty: boolean,
    ) => void;
    closeTag: (name: string) => void;
    comment: (text: string) => void;
    question: (text: string) => void;
    attention: (text: string) => void;
    warn: (error: Error) => void;
    error: (error: Error) => void;
  }
  export class Parser {
    on<Name extends keyof Events>(event: Name, listener: Events[Name]): this;
    parse(xml: string): void;
  }
}
