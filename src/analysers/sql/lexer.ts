/** A second, small reading of MySQL and SQLite text: where statements end, and how deep an expression can nest. */
export interface Token {
  readonly type: "word" | "symbol" | "quoted";
  readonly start: number;
  readonly end: number;
}

export interface Lexed {
  readonly tokens: readonly Token[];
  /** The first quote or comment that never ends. */
  readonly unterminated?: number;
}

export interface LexRules {
  readonly dialect: "mysql" | "sqlite";
  /** MySQL's NO_BACKSLASH_ESCAPES reads a backslash in a string as itself, as SQLite always does. */
  readonly backslashEscapes: boolean;
}

export function lex(sql: string, rules: LexRules): Lexed {
  const tokens: Token[] = [];
  let at = 0;
  while (at < sql.length) {
    if (/\s/.test(sql[at] ?? "")) {
      at++;
      continue;
    }
    const comment = commentEnd(sql, at, rules);
    if (comment === -1) return { tokens, unterminated: at };
    if (comment > at) {
      at = comment;
      continue;
    }
    const token = nextToken(sql, at, rules);
    if (token === undefined) return { tokens, unterminated: at };
    tokens.push(token);
    at = token.end;
  }
  return { tokens };
}

/** Where the comment at this place ends; the place itself when none starts here, -1 when it never ends. */
function commentEnd(sql: string, at: number, { dialect }: LexRules): number {
  const line = (): number => {
    const end = sql.indexOf("\n", at);
    return end === -1 ? sql.length : end + 1;
  };
  if (sql.startsWith("/*", at)) {
    const end = sql.indexOf("*/", at + 2);
    return end === -1 ? -1 : end + 2;
  }
  if (dialect === "sqlite") return sql.startsWith("--", at) ? line() : at;
  // MySQL wants white space after the dashes: 5--1 is a sum.
  if (/^--(?:[\s\p{Cc}]|$)/u.test(sql.slice(at, at + 3)) || sql[at] === "#") return line();
  return at;
}

function nextToken(sql: string, at: number, rules: LexRules): Token | undefined {
  const first = sql[at] ?? "";
  if (first === "'" || first === '"' || first === "`") return quoted(sql, at, first, rules);
  if (first === "[" && rules.dialect === "sqlite") {
    const end = sql.indexOf("]", at);
    return end === -1 ? undefined : { type: "quoted", start: at, end: end + 1 };
  }
  WORD.lastIndex = at;
  const word = WORD.exec(sql);
  if (word !== null) return { type: "word", start: at, end: at + word[0].length };
  return { type: "symbol", start: at, end: at + 1 };
}

const WORD = /[\p{L}\p{N}_$@]+/uy;

/** A doubled quote reads as two strings side by side, which ends in the same place. */
function quoted(sql: string, start: number, quote: string, rules: LexRules): Token | undefined {
  const escapes = rules.backslashEscapes && quote !== "`";
  for (let at = start + 1; at < sql.length; at++) {
    if (sql[at] === "\\" && escapes) at++;
    else if (sql[at] === quote) return { type: "quoted", start, end: at + 1 };
  }
  return undefined;
}

/** The statements of a text, without the semicolons between them. */
export function split(
  sql: string,
  tokens: readonly Token[],
): readonly { readonly text: string; readonly tokens: readonly Token[] }[] {
  const statements: { text: string; tokens: Token[] }[] = [];
  let current: Token[] = [];
  const flush = (): void => {
    const start = current[0]?.start;
    if (start !== undefined) statements.push({ text: sql.slice(start, current.at(-1)?.end), tokens: current });
    current = [];
  };
  for (const token of tokens) {
    if (sql[token.start] === ";") flush();
    else current.push(token);
  }
  flush();
  return statements;
}

const INFIX =
  /^(AND|OR|XOR|NOT|IS|ISNULL|NOTNULL|UNION|EXCEPT|INTERSECT|COLLATE|LIKE|ILIKE|RLIKE|REGEXP|GLOB|MATCH|BETWEEN|IN|DIV|MOD|AT|ESCAPE|CASE|JOIN)$/i;

/** An upper bound of how deep the tree of a statement can be: operators chain to the left, parentheses nest. */
export function nesting(sql: string, tokens: readonly Token[]): number {
  const levels = [{ chain: 0, deepest: 0, closed: 0 }];
  const depth = (level: { chain: number; deepest: number; closed: number }): number =>
    Math.max(level.closed, level.chain + level.deepest);
  for (const token of tokens) {
    const level = levels.at(-1);
    if (level === undefined) return Number.POSITIVE_INFINITY;
    const source = sql.slice(token.start, token.end);
    if (token.type === "word") {
      if (INFIX.test(source)) level.chain++;
    } else if (source === "(") levels.push({ chain: 0, deepest: 0, closed: 0 });
    else if (source === ")") {
      levels.pop();
      const parent = levels.at(-1);
      if (parent === undefined) return Number.POSITIVE_INFINITY;
      parent.deepest = Math.max(parent.deepest, depth(level) + 1);
    } else if (source === ",") {
      level.closed = depth(level);
      level.chain = 0;
      level.deepest = 0;
    } else if (token.type === "symbol" && source !== ".") level.chain++;
  }
  return levels.reduce((sum, level) => sum + depth(level), 0);
}
