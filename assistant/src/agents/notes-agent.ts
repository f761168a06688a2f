import type { Apps } from "../apps/apps.js";
import { orderOf } from "../language/speech.js";
import { cleanTitle } from "../language/text.js";
import { wordsIn } from "../words/words.js";
import { type Agent, type Plan, STATED, type Turn } from "./agent.js";

const WRITES =
  /^(?:notes?\s*:|(?:take|make|write|add|create)\s+(?:an?|me an?)?\s*(?:quick )?note\s*:?\s*(?:that|to say|saying|about)?|write down|jot down)\s*(?<text>.+)$|^(?:记一下|记笔记|写笔记|做笔记|记个笔记|新建笔记|添加笔记|笔记)[:,，\s]*(?<textZh>.+)$/is;
const LISTS = /^(?:show|list|read|display|see)\b.*\bnotes?\b|^(?:my )?notes[?.!]*$|^(?:查看|显示|看看|列出).*笔记/i;
const DELETES =
  /^(?:delete|remove|erase)\s+(?:the|my|that)?\s*note\s*:?\s*(?:called|named|about|titled)?\s*(?<name>.+)$|^(?:delete|remove|erase)\s+(?:the|my)\s+(?<name2>.+?)\s+note[.!]*$|^(?:删除|删掉)(?:笔记)[:,，\s]*(?<nameZh>.+)$/is;
const NEW_FOLDER =
  /^(?:create|make|add|new)\s+(?:an?|the)?\s*(?:new )?(?:note ?)?folder\s*:?\s*(?:called|named|for)?\s*(?<name>.+)$|^(?:创建|新建)(?:一个|个)?(?:笔记)?文件夹[:,，\s]*(?<nameZh>.+)$/is;
const DELETE_FOLDER =
  /^(?:delete|remove|erase)\s+(?:the|my)?\s*(?:note ?)?folder\s*:?\s*(?:called|named)?\s*(?<name>.+)$|^(?:delete|remove|erase)\s+(?:the|my)\s+(?<name2>.+?)\s+folder[.!]*$|^(?:删除|删掉)(?:笔记)?文件夹[:,，\s]*(?<nameZh>.+)$/is;

export const notesAgent: Agent = {
  domain: "notes",
  plan(turn, apps) {
    const order = orderOf(turn.text);
    const text = nameIn(WRITES, order);
    if (text !== undefined) return write(text);
    const newFolder = nameIn(NEW_FOLDER, order);
    if (newFolder !== undefined) return call("notefolder-create", { name: newFolder });
    const folder = nameIn(DELETE_FOLDER, order);
    if (folder !== undefined) return removeFolder(folder, turn, apps);
    const note = nameIn(DELETES, order);
    if (note !== undefined) return removeNote(note, turn, apps);
    return LISTS.test(turn.text) ? call("note-list", {}) : undefined;
  },
};

function nameIn(says: RegExp, order: string): string | undefined {
  const groups = says.exec(order)?.groups;
  return groups && cleanTitle(Object.values(groups).find((group) => group !== undefined) ?? "");
}

/** The first line is the title; a long one is cut there and kept whole in the body. */
function write(text: string): Plan {
  const [first = ""] = text.split("\n");
  const title = [...first].slice(0, 80).join("");
  return call("note-create", { title, body: text === title ? "" : text });
}

function removeNote(name: string, turn: Turn, apps: Apps): Plan {
  const found = apps.notes
    .list(turn.workspaceId)
    .filter((note) => note.title.toLowerCase().includes(name.toLowerCase()));
  const exact = found.filter((note) => note.title.toLowerCase() === name.toLowerCase());
  const [only, ...others] = exact.length > 0 ? exact : found;
  const words = wordsIn(turn.locale);
  if (only === undefined) return { type: "say", domain: "notes", text: words.noSuch("note", name) };
  if (others.length > 0) {
    return { type: "say", domain: "notes", text: words.whichTask([only, ...others].map((note) => note.title)) };
  }
  return call("note-delete", { id: only.id });
}

function removeFolder(name: string, turn: Turn, apps: Apps): Plan {
  const folder = apps.folders.byName(turn.workspaceId, name);
  if (folder !== undefined) return call("notefolder-delete", { id: folder.id });
  return { type: "say", domain: "notes", text: wordsIn(turn.locale).noSuch("folder", name) };
}

function call(tool: string, args: { readonly [key: string]: string }): Plan {
  return { type: "call", domain: "notes", tool, args, confidence: STATED };
}
