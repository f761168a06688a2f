import type { Apps } from "../apps/apps.js";
import { orderOf } from "../language/speech.js";
import { cleanTitle } from "../language/text.js";
import { wordsIn } from "../words/words.js";
import { type Agent, type Plan, STATED, type Turn } from "./agent.js";

const CREATES =
  /^(?:create|make|start|add|new)\s+(?:an?|the|my)?\s*(?:new )?list\s*:?\s*(?:called|named|for)?\s*(?<name>.+)$|^(?:创建|新建|建|加)(?:一个|一张|个)?(?:清单|列表)[:,，\s]*(?:叫|名为)?(?<nameZh>.+)$/is;
const ADDS =
  /^(?:add|put)\s+(?<what>.+?)\s+(?:to|on|onto|in)\s+(?:the|my|our)\s+(?<name>.+?)(?:\s+list)[.!]*$|^(?:把|将)(?<whatZh>.+?)(?:加到|加入|添加到|放到|放进)(?<nameZh>.+?)(?:清单|列表)(?:里|中|上)*[。!]*$/is;
const DELETES =
  /^(?:delete|remove|erase|drop)\s+(?:the|my|our)?\s*(?:list\s*:?\s*(?:called|named)?\s*(?<name>.+)|(?<name2>.+?)\s+list)[.!]*$|^(?:删除|删掉|移除)(?:清单|列表)(?<nameZh>.+)$|^(?:删除|删掉|移除)(?<nameZh2>.+?)(?:清单|列表)[。!]*$/is;
const LISTS =
  /^(?:show|list|display|see|read)\b.*\blists?\b|^(?:my )?lists[?.!]*$|^(?:what'?s|what is) on (?:the|my|our) .+ list\b|^(?:查看|显示|看看|列出).*(?:清单|列表)|(?:清单|列表)(?:里|上)?有什么/i;
/** The list of tasks belongs to the tasks. */
const TASK_LIST = /\b(?:to-?do|task|todo)s?\b|待办|任务/i;

export const listsAgent: Agent = {
  domain: "lists",
  plan(turn, apps) {
    if (TASK_LIST.test(turn.text)) return undefined;
    const order = orderOf(turn.text);
    const created = groupsOf(CREATES, order);
    if (created !== undefined) return call("list-create", { name: cleanTitle(created.name) });
    const added = groupsOf(ADDS, order);
    if (added !== undefined)
      return inList(added.name, turn, apps, (listId) => call("todo-create", { title: cleanTitle(added.what), listId }));
    const deleted = groupsOf(DELETES, order);
    if (deleted !== undefined) return inList(deleted.name, turn, apps, (id) => call("list-delete", { id }));
    return LISTS.test(turn.text) ? call("list-list", {}) : undefined;
  },
};

/** The same parts, whichever language and word order they were said in. */
function groupsOf(says: RegExp, order: string): { readonly name: string; readonly what: string } | undefined {
  const groups = says.exec(order)?.groups;
  if (groups === undefined) return undefined;
  const { name, name2, nameZh, nameZh2, what, whatZh } = groups;
  return { name: name ?? name2 ?? nameZh ?? nameZh2 ?? "", what: what ?? whatZh ?? "" };
}

function inList(name: string, turn: Turn, apps: Apps, go: (id: string) => Plan): Plan {
  const list = apps.lists.byName(turn.workspaceId, cleanTitle(name));
  if (list !== undefined) return go(list.id);
  return { type: "say", domain: "lists", text: wordsIn(turn.locale).noSuch("list", cleanTitle(name)) };
}

function call(tool: string, args: { readonly [key: string]: string }): Plan {
  return { type: "call", domain: "lists", tool, args, confidence: STATED };
}
