import { orderOf } from "../language/speech.js";
import { cleanTitle } from "../language/text.js";
import type { Agent, Plan } from "./agent.js";

const NAME = "[\"'“]?(?<path>[^\\s\"'“”:：]+)[\"'”]?";
const WITH = "\\s*(?:with|containing|saying|[:：]|内容(?:是|为)?|写入)\\s*(?<content>[\\s\\S]+)";
const WAYS: readonly { readonly tool: string; readonly says: RegExp }[] = [
  {
    tool: "files.create",
    says: new RegExp(
      `^(?:create|make|write|save)\\s+(?:an?|the)?\\s*(?:new )?file\\s+(?:called |named )?${NAME}${WITH}$`,
      "i",
    ),
  },
  {
    tool: "files.update",
    says: new RegExp(`^(?:update|overwrite|replace|change|edit)\\s+(?:the |my )?file\\s+${NAME}${WITH}$`, "i"),
  },
  {
    tool: "files.delete",
    says: new RegExp(`^(?:delete|remove|erase|trash)\\s+(?:the |my )?file\\s+${NAME}[.!]*$`, "i"),
  },
  {
    tool: "files.read",
    says: new RegExp(`^(?:read|open|show|print|view)\\s+(?:me )?(?:the |my )?file\\s+${NAME}[.!?]*$`, "i"),
  },
  { tool: "files.create", says: new RegExp(`^(?:创建|新建)(?:一个)?文件\\s*${NAME}[,，]?${WITH}$`) },
  { tool: "files.update", says: new RegExp(`^(?:更新|覆盖|修改)文件\\s*${NAME}[,，]?${WITH}$`) },
  { tool: "files.delete", says: new RegExp(`^(?:删除|删掉)文件\\s*${NAME}[。!]*$`) },
  { tool: "files.read", says: new RegExp(`^(?:读取|打开|查看|读|看)文件\\s*${NAME}[。!]*$`) },
];
const LISTS =
  /^(?:show|list|display|see)\b.*\bfiles\b|^(?:my )?files[?.!]*$|^(?:列出|查看|显示|看看)(?:所有|我的)?文件[。!]*$/i;
const RESTORES = /^(?:restore|undelete|恢复(?:文件)?)\s*(?:the file )?(?<trashId>[0-9a-f]{16})\b/i;

export const filesAgent: Agent = {
  domain: "files",
  plan({ text }) {
    const order = orderOf(text);
    for (const { tool, says } of WAYS) {
      const { path, content } = says.exec(order)?.groups ?? {};
      if (path === undefined) continue;
      return call(tool, { path: cleanTitle(path), ...(content === undefined ? {} : { content }) });
    }
    const trashId = RESTORES.exec(order)?.groups?.["trashId"];
    if (trashId !== undefined) return call("files.restore", { trashId });
    return LISTS.test(text) ? call("files.list", {}) : undefined;
  },
};

function call(tool: string, args: { readonly [key: string]: string }): Plan {
  return { type: "call", domain: "files", tool, args, confidence: 0.9 };
}
