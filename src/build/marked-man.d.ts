declare module "marked-man";
