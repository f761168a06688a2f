import { bullets, listed } from "./bullets.js";
import type { Words } from "./words.js";

const quote = (text: unknown): string => `“${String(text)}”`;

export const zh: Words = {
  help: "我可以管理任务、清单、笔记、日程、邮件、文件和数据。例如：“创建任务：明天给妈妈打电话”、“查看我的任务”。",
  howToConfirm: "请确认以继续，或说“取消”放弃。",
  whichTitle: "任务的内容是什么？",
  whichTask: (titles) => `您指的是哪一个？\n${titles.map((title, index) => `${index + 1}. ${title}`).join("\n")}`,
  noSuchTask: (words) => (words === "" ? "您指的是哪个任务？" : `没有找到未完成的任务${quote(words)}。`),
  whoIsThat: (name, known) => `我不认识${quote(name)}。我认识：${known.join("、")}。`,
  nothingToDelete: "没有可删除的内容。",
  when: "什么时间？请告诉我日期和时间。",
  toWhom: "发给哪个邮箱地址？",
  noSuch: (noun, name) =>
    `没有找到${{ list: "清单", note: "笔记", folder: "文件夹", event: "日程" }[noun]}${quote(name)}。`,
  questionAboutTasks: "没有更改任何内容。未完成的任务：",
  noAnswer: "这个问题我回答不了，也没有更改任何内容。",
  refused: "好的，什么都没有做。",
  refusedBoth: "您既提出了要求又说了不要，所以什么都没有做。请再说一次您想要什么。",
  nothingWaits: "这里没有等待您答复的操作。",
  cancelled: (descriptions) => `已取消：\n${bullets(descriptions)}`,
  waiting: (descriptions) => `以下操作仍在等待您的答复：\n${bullets(descriptions)}\n请在它的卡片上确认，或说“取消”。`,
  notPlainYes: "您的消息不只是“确认”，所以等待中的操作没有执行。",
  notConnected: "此聊天账号尚未关联任何人。请先在网页的设置中关联，再发送消息。",
  changedSince: "询问之后情况有变化，所以没有执行。请再看一遍。",
  expired: (description) => `没有人及时答复：${description}`,
  denied: (description, reason) => `未执行，已被拒绝（${reason}）：${description}`,
  withdrawn: (description) => `已撤回：${description}`,
  failed: (tool, why) => `❌ ${tool} 未成功：${why}`,
  unknown: (tool) => `⚠️ ${tool} 已开始，但还不知道是否完成。请不要重复。`,
  stillWaits: "正在等待答复。",
  needsMoreProof: "这需要更强的身份证明。请在收件箱中打开并确认。",
  needsOthers: "您的同意已记录，还需要其他人同意。",
  tooManyPending: "未答复的问题太多了，请先答复或取消一些。",
  notUnderstoodArgs: "我没有理解对，所以没有尝试。请换个说法。",
  wentWrong: "出了点问题，什么都没有做。",
  done: {
    "tasks.create": ({ result }) => `✅ 已创建任务：${quote(result.task.title)}`,
    "tasks.list": ({ result, when }) =>
      listed(
        result.tasks.map(
          (task: { title: string; dueAt?: string }) =>
            `${task.title}${task.dueAt ? `（截止 ${when(task.dueAt)}）` : ""}`,
        ),
        "没有任务。",
      ),
    "tasks.complete": ({ args, result }) =>
      args.done === false ? `✅ 已重新打开：${quote(result.task.title)}` : `✅ 已完成任务：${quote(result.task.title)}`,
    "tasks.assign": ({ result }) => `✅ 已将${quote(result.task.title)}分配给 ${result.assignedToName}`,
    "tasks.update": ({ result, when }) =>
      `✅ 已更改任务：${quote(result.task.title)}${result.task.dueAt ? `，截止 ${when(result.task.dueAt)}` : ""}`,
    "tasks.delete": ({ result }) => `✅ 已删除任务：${quote(result.task.title)}`,
    "todo.clear": ({ result }) => `✅ 已删除 ${result.data.deleted} 项待办`,
    "todo.delete-batch": ({ result }) => `✅ 已删除 ${result.data.deleted} 项待办`,
    "todo.create": ({ result }) => `✅ 已添加${quote(result.data.todo.title)}`,
    "list.create": ({ result }) => `✅ 已创建清单：${quote(result.data.list.name)}`,
    "list.delete": ({ result }) => `✅ 已删除清单${quote(result.data.list.name)}及 ${result.data.deletedTodos} 项待办`,
    "list.list": ({ result }) =>
      listed(
        result.data.lists.map(
          (list: { name: string; todos: { title: string }[] }) =>
            `${list.name}：${list.todos.map((todo) => todo.title).join("、") || "空"}`,
        ),
        "没有清单。",
      ),
    "note.create": ({ result }) => `✅ 已记下：${quote(result.data.note.title)}`,
    "note.list": ({ result }) =>
      listed(
        result.data.notes.map((note: { title: string }) => note.title),
        "没有笔记。",
      ),
    "note.delete": ({ result }) => `✅ 已删除笔记${quote(result.data.title)}`,
    "notefolder.create": ({ result }) => `✅ 已创建文件夹：${quote(result.data.folder.name)}`,
    "notefolder.delete": ({ result }) =>
      `✅ 已删除文件夹${quote(result.data.folder.name)}及 ${result.data.deletedNotes} 条笔记`,
    "calendar.create": ({ result, when }) =>
      `✅ 已创建日程：${quote(result.event.summary)}，${when(result.event.start)}`,
    "calendar.delete": ({ result }) => `✅ 已删除日程：${quote(result.event.summary)}`,
    "calendar.list": ({ result, when }) =>
      listed(
        result.events.map((event: { start: string; summary: string }) => `${when(event.start)} ${event.summary}`),
        "没有安排。",
      ),
    "email.send": ({ args }) => `✅ 已将${quote(args.subject)}发送给 ${args.to.join("、")}`,
    "email.read": ({ result }) =>
      listed(
        result.mails.map((mail: { from: string; subject: string }) => `${mail.from}：${mail.subject}`),
        "没有邮件。",
      ),
    "files.list": ({ result }) => listed(result.files, "没有文件。"),
    "files.read": ({ result }) => result.content,
    "files.create": ({ args }) => `✅ 已创建 ${args.path}`,
    "files.update": ({ args }) => `✅ 已覆盖 ${args.path}，旧版本在回收站中`,
    "files.delete": ({ args, result }) => `✅ 已将 ${args.path} 移到回收站（${result.trashId}）`,
    "files.restore": ({ result }) => `✅ 已恢复 ${result.path}`,
    "data.query": ({ result }) =>
      listed(
        result.rows.slice(0, 20).map((row: object) => JSON.stringify(row)),
        "没有记录。",
      ),
    "data.modify": ({ result }) => `✅ 已更改 ${result.rows} 行`,
    "web.search": ({ result }) =>
      listed(
        result.results.map((found: { title: string; url: string }) => `${found.title}：${found.url}`),
        "没有找到。",
      ),
    "web.fetch": ({ result }) => result.text.slice(0, 2_000),
    "web.transcript": ({ result }) => result.text.slice(0, 2_000),
  },
  doneOtherwise: (tool) => `✅ ${tool} 已完成`,
};
