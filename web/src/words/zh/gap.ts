/** 汉字与拉丁字母、数字之间留一个空格：前面是汉字时用。 */
export const gap = (text: string) => (/^[!-~]/.test(text) ? ` ${text}` : text);
/** 同上，后面是汉字时用。 */
export const gapAfter = (text: string) => (/[!-~]$/.test(text) ? `${text} ` : text);
