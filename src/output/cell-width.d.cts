declare function textWidth(text: string): number;
export = textWidth;
