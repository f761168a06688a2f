import type { CreatePattern } from "./confidence.js";

const TASK = "(?:任务|待办事项|待办|事项|代办)";
const ONE = "(?:一个|一项|一条|个|项|条|新的|新|一下|下|这个|这项|紧急|高优先级|低优先级|的)*";

export const CREATES: readonly { readonly pattern: CreatePattern; readonly says: RegExp }[] = [
  {
    pattern: "explicit",
    says: new RegExp(
      `^(?:创建|新建|新增|添加|增加|加入|加上|加|建立|建|记录|记|开|做)${ONE}${TASK}(?!清单|列表)(?:[:,，\\s]|叫做|叫|是|去|来|名为)*(?<title>.*)$`,
      "s",
    ),
  },
  {
    pattern: "explicit",
    says: new RegExp(
      `^(?:把|将)(?<title>.+?)(?:加到|加入|添加到|加进|放到|放进|列入|记到|写进)(?:我的|我们的)?${TASK}(?:清单|列表|里|中|上)*[。!]*$`,
      "s",
    ),
  },
  {
    pattern: "explicit",
    says: new RegExp(
      `^(?:在)?(?:我的)?${TASK}(?:清单|列表)?(?:里|中)?(?:添加|增加|加上|加)(?:一[项条个])?[:,，\\s]*(?<title>.+)$`,
      "s",
    ),
  },
  { pattern: "label", says: new RegExp(`^(?:新)?${TASK}\\s*[:\\-–—]\\s*(?<title>.*)$`, "s") },
  {
    pattern: "reminder",
    says: /^(?:设(?:置|个)?|加(?:个)?|创建|新建)?(?:一个)?(?:到时候|记得)?提醒(?:一下)?(?:我们|我)?(?:一下)?(?:[:,，\s]|要|去)*(?<title>.*)$/s,
  },
  { pattern: "reminder", says: /^(?<title>.+?)(?:的时候|时)?(?:记得)?提醒(?:一下)?(?:我们|我)(?:一下)?[。!]*$/s },
  { pattern: "reminder", says: /^(?<when>[^，,。]{1,12}?)(?:记得)?提醒(?:一下)?(?:我们|我)(?:要|去)?(?<title>.+)$/s },
  { pattern: "need", says: /^(?:我们|我|咱们)?不得不(?:去)?(?<title>.+)$/s },
  {
    pattern: "need",
    says: /^(?:[^，,。]{0,6})?(?:我们|我|咱们|咱)(?:[^，,。我]{0,8}?)(?:需要|必须|得|要|该)(?:去|来)?(?<title>.+)$/s,
  },
  { pattern: "implicit", says: /^(?:可?千万)?(?:不要|别|不能|可别)(?:让我)?忘(?:了|记)(?:要|去)?(?<title>.+)$/s },
  { pattern: "implicit", says: /^(?:要)?记得(?:要|去)?(?<title>.+)$/s },
  { pattern: "implicit", says: /^(?:我们|我|咱们)?(?:应该|是时候|最好|差不多该)(?:去)?(?<title>.+)$/s },
];

export const NOT_A_TASK =
  /^(?:走|睡|想想|说|知道|看看|问|死|哭|笑|承认|疯|吐槽|休息|冷静|等等|去了|走了|睡了|命|强|求|是|么|不是|得|看(?:任务|待办)|查看)/;

export const MENTIONS_TASK = new RegExp(TASK);
/** Asks for the tasks without the word. */
export const ASKS_WHAT_TO_DO =
  /^(?:我们?)?(?:今天|明天|后天|今晚|这周|本周|下周|现在|接下来)?(?:我们?)?还?(?:有(?:什么|哪些)(?:事|要做)|(?:要|该|需要|得)做(?:什么|哪些))/;
export const REMARK =
  /太|真|很|好(?:难|烦|多|累|棒)|喜欢|讨厌|谢谢|感谢|昨天|上周|上个月|已经|刚才|挺|觉得|难|无聊|有意思|辛苦|总是|每次|越来越|比较|终于/;

/** Does something with a task that is there already. */
export const HANDLES = /^(?:把|将|跳过|忽略|暂停|编辑|重命名|打开|复制|分享|打印|撤销|保留)/;

const DELETE_VERB =
  "(?:删除|删掉|删去|删了|删|清空|清除|清掉|清理|移除|去掉|抹掉|抹去|扔掉|取消|干掉|丢掉|撤掉|划掉|销毁)";
export const DELETES = new RegExp(
  `^(?:我(?:们)?(?:想|要|想要|需要|得)|应该)?(?:${DELETE_VERB})(?:掉|了)?(?<target>.+)$`,
  "s",
);
export const DELETES_OBJECT_FIRST = new RegExp(
  `^(?:我(?:们)?(?:想|要|想要))?(?:把|将)(?<target>.+?)(?:都|全部|全|统统|一起|彻底|永久)*(?:${DELETE_VERB})(?:掉|了|吧)*[。!]*$`,
  "s",
);
export const DELETES_ALL_LAST = new RegExp(
  `^(?<target>.*${TASK}.*?)(?:都|全部|全|统统)(?:给我)?(?:${DELETE_VERB})(?:掉|了|吧)*[。!]*$`,
  "s",
);
export const SPEAKS_OF_DELETING = new RegExp(DELETE_VERB);
export const ALL = /所有|全部|一切|每个|每一|统统|整个|都(?=清|删)|全都/;
export const COMPLETED = /已完成|完成的|做完的|已做完|搞定的/;
export const TASK_WORDS = new RegExp(
  `(?:这个|那个|我的|我们的|一个|关于|名为|叫)?(?:的)?${TASK}(?:清单|列表)?[:：]?`,
  "g",
);
export const FILLER = /^(?:这个|那个|我的|我们的|一下|掉|了|关于|名为|叫|的)+|(?:这个|那个|吧|了|的|一下)+$/g;

export const COMPLETES: readonly { readonly says: RegExp; readonly confidence: number }[] = [
  {
    confidence: 0.9,
    says: /^(?:把|将)(?<target>.+?)(?:标记|标|设|勾选|勾)(?:为|成|上|掉)?(?:已)?(?:完成|做完|好)?(?:了|吧)*[。!]*$/s,
  },
  { confidence: 0.9, says: /^(?:标记|勾选|勾掉|划勾)(?<target>.+?)(?:为|成)?(?:已完成|完成|做完)?[。!]*$/s },
  { confidence: 0.9, says: new RegExp(`^完成(?:这个|那个|了)?${TASK}[:,，\\s]*(?<target>.+)$`, "s") },
  {
    confidence: 0.85,
    says: /^(?:我们|我)?(?:已经|刚刚|刚才|刚|终于)?(?:完成了|做完了|搞定了|办完了|弄完了|干完了)(?<target>.+)$/s,
  },
  {
    confidence: 0.85,
    says: /^(?<target>.+?)(?:这个任务|这件事|任务|已经|都|也)*(?:完成了|做完了|搞定了|办完了|弄完了|干完了|办好了|做好了|弄好了)[。!]*$/s,
  },
  { confidence: 0.85, says: /^完成(?<target>.+)$/s },
];

export const ASSIGNS: readonly { readonly says: RegExp; readonly confidence: number }[] = [
  {
    confidence: 0.9,
    says: /^(?:把|将)(?<target>.+?)(?:分配给|指派给|分派给|派给|委派给)(?<assignee>[^，,。\s]+?)(?:吧|了)?[。!]*$/s,
  },
  { confidence: 0.9, says: /^(?:分配|指派)(?<target>.+?)给(?<assignee>[^，,。\s]+?)(?:吧)?[。!]*$/s },
  {
    confidence: 0.8,
    says: /^(?:把|将)(?<target>.+?)(?:交给|给|让给|转给)(?<assignee>[^，,。\s]+?)(?:来做|去做|做|处理|负责|来|吧)*[。!]*$/s,
  },
  {
    confidence: 0.8,
    says: /^(?:让|叫|请)(?<assignee>[^，,。\s去来做负]{1,6}?)(?:去做|来做|做|负责|处理|去负责|来负责)(?<target>.+)$/s,
  },
  {
    confidence: 0.8,
    says: /^(?<target>.+?)(?:由|归|交给)(?<assignee>[^，,。\s]{1,6}?)(?:来做|做|负责|处理|来|管)(?:吧)?[。!]*$/s,
  },
];

export const RESCHEDULES =
  /^(?:(?:把|将)(?<target>.+?)(?:改到|推迟到|延到|移到|挪到|改成|改为|推到)|(?<target2>.+?)(?:推迟到|改到|挪到|延到))(?<date>.+)$/s;

export const LISTS = new RegExp(
  `^(?:显示|列出|查看|看看|看一下|看下|看|查询|查一下|查|打开|给我看|读|念|展示|浏览|过一遍)(?:一下|下|我|看)*.*(?:${TASK}|清单)|^(?:我的|所有|全部|今天的?|未完成的?)*${TASK}(?:清单|列表)?[。!]?$`,
);
export const PRIORITY: readonly (readonly ["low" | "high" | "urgent", RegExp])[] = [
  ["urgent", /(?:紧急|非常急|十万火急|马上)(?:[:，,的])?/],
  ["high", /(?:高优先级|优先级高|重要)(?:[:，,的])?/],
  ["low", /(?:低优先级|优先级低|不急)(?:[:，,的])?/],
];
