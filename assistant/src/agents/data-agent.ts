import { orderOf } from "../language/speech.js";
import { type Agent, type Plan, STATED } from "./agent.js";

const LABELLED =
  /^(?:run |execute |执行)?\s*(?:the )?(?:sql|query|查询语句)\s*[:：]?\s*(?<sql>(?:select|insert|update|delete|with|create|drop|alter|replace|pragma|explain|values)\b[\s\S]+)$/i;
const BARE =
  /^(?<sql>select\s[\s\S]+\sfrom\s[\s\S]+|insert\s+into\s[\s\S]+|update\s+\w+\s+set\s[\s\S]+|delete\s+from\s[\s\S]+|drop\s+table\s[\s\S]+|truncate\s[\s\S]+|alter\s+table\s[\s\S]+)$/i;
const READS = /^\s*(?:select|with|values|explain|pragma)\b/i;

const CONDITION =
  "(?<column>\\w+)\\s*(?<operator>=|==|为|是|等于|大于|小于|>=|<=|>|<|is)\\s*[\"'“]?(?<value>[^\\s\"'“”的]+?)[\"'”]?";
const DELETES: readonly RegExp[] = [
  new RegExp(
    `^(?:删除|删掉|清除|移除)\\s*(?<table>\\w+)\\s*表(?:里面|里|中)?(?:的)?\\s*${CONDITION}\\s*的(?:所有|全部)?(?:记录|数据|行|条目)[。!]*$`,
    "i",
  ),
  new RegExp(
    `^(?:delete|remove)\\s+(?:all |the )*(?:records|rows|entries)\\s+(?:from|in|of)\\s+(?:the )?(?:table )?(?<table>\\w+)(?: table)?\\s+(?:where|with|whose)\\s+${CONDITION}[.!]*$`,
    "i",
  ),
];
const COUNTS =
  /^(?:how many|count)(?: the)?(?: rows| records| entries)?(?: are)?(?: there)?(?: in| of| from)\s+(?:the )?(?:table )?(?<table>\w+)(?: table)?[?.!]*$|^(?<tableZh>\w+)\s*表(?:里|中)?有多少(?:条|行)?(?:记录|数据)?[?？。]*$/i;
const OPERATORS: Readonly<Record<string, string>> = {
  "==": "=",
  为: "=",
  是: "=",
  等于: "=",
  is: "=",
  大于: ">",
  小于: "<",
};

/** SQL as it was written, and a few sentences that say the same. The tool parses and judges it again; nothing here is trusted. */
export const dataAgent: Agent = {
  domain: "data",
  plan({ text }) {
    const order = orderOf(text);
    const sql = (LABELLED.exec(order) ?? BARE.exec(order))?.groups?.["sql"];
    if (sql !== undefined) return READS.test(sql) ? query(sql, STATED) : modify(sql, STATED);
    for (const says of DELETES) {
      const { table, column, operator, value } = says.exec(order)?.groups ?? {};
      if (table === undefined || column === undefined || operator === undefined || value === undefined) continue;
      return modify(`DELETE FROM ${table} WHERE ${column} ${OPERATORS[operator] ?? operator} ${literal(value)}`, 0.9);
    }
    const { table, tableZh } = COUNTS.exec(order)?.groups ?? {};
    const counted = table ?? tableZh;
    return counted === undefined ? undefined : query(`SELECT count(*) AS rows FROM ${counted}`, 0.9);
  },
};

function query(sql: string, confidence: number): Plan {
  return { type: "call", domain: "data", tool: "data.query", args: { sql }, confidence };
}

function modify(sql: string, confidence: number): Plan {
  return { type: "call", domain: "data", tool: "data.modify", args: { sql }, confidence };
}

function literal(value: string): string {
  return /^-?\d+(?:\.\d+)?$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
}
