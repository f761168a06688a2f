import type { Words } from "../words.js";

export const chat: Words["chat"] = {
  title: "对话",
  placeholder: "给助手写点什么",
  send: "发送",
  you: "您",
  assistant: "助手",
  waiting: "等待您处理",
  running: "执行中…",
  hint: "“确认”和“取消”可以直接答复等待中的操作；“对外或花费”及以上须在卡片上同意。",
  yes: ["确认", "确定", "是", "是的", "好", "好的", "可以", "行", "同意", "批准", "执行", "嗯"],
  empty: "说说您想做什么。",
  emptyLead: "它要做的事会先显示在这里。",
  tool: (name) => `工具调用：${name}`,
  failed: (detail) => `助手已停止：${detail}`,
};
