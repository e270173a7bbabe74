// The build and the tests import these files as text.
declare module "*.md";
declare module "*.bash";
declare module "*.zsh";
declare module "*.fish";
declare module "*.ps1";
// Has no types.
declare module "marked-man";
