import type { CreatePattern } from "./confidence.js";

const TASK = "(?:tasks?|to-?dos?|todo items?|action items?|chores?)";
const ARTICLE = "(?:an?|another|one more|the|this|the following|my|our|some|me an?|us an?)";

/** Ways of asking for a task, each with the part that is its title. The first that fits decides. */
export const CREATES: readonly { readonly pattern: CreatePattern; readonly says: RegExp }[] = [
  {
    pattern: "explicit",
    says: new RegExp(
      `^(?:create|add|make|new|set up|open|start|log|enter|put down|put in)\\b(?: ${ARTICLE})?(?: new| quick| small| urgent| high[- ]priority| low[- ]priority)*\\s+${TASK}\\b(?!\\s+(?:list|lists|board)\\b)[:,-]?\\s*(?:(?:to|for|that says|called|named|titled|saying|about|of)\\b)?[:,]?\\s*(?<title>.*)$`,
      "is",
    ),
  },
  {
    pattern: "explicit",
    says: new RegExp(
      `^(?:add|put|stick|throw)\\s+(?<title>.+?)\\s+(?:to|on|onto|in|into)\\s+(?:my|the|our)\\s+(?:${TASK}|to-?do list|todo list|task list|list of ${TASK})[.!?]*$`,
      "is",
    ),
  },
  { pattern: "label", says: new RegExp(`^(?:${TASK}|to dos?)\\s*[:–—-]\\s*(?<title>.*)$`, "is") },
  {
    pattern: "reminder",
    says: /^(?:(?:create|add|make|set|set up) (?:an? |me an? )?)?remind(?:er)?\b(?: (?:me|us))?\s*(?::|-|to\b|(?=not to\b)|about\b|that\b|for\b|of\b)\s*(?:to )?(?<title>.*)$/is,
  },
  { pattern: "reminder", says: /^remind (?:me|us) (?<title>(?:tomorrow|today|tonight|on|at|in|next|by|every)\b.+)$/is },
  {
    pattern: "need",
    says: /^(?:i|we|i also|we also|i really|also|i still|we still|i'll|we'll)?\s*(?:need|have|must|needs|will have)\s*(?:to)?\s+(?<title>.+)$/is,
  },
  {
    pattern: "implicit",
    says: /^(?:oh,? |ugh,? |so |and )?(?:i|we|i've|we've|i really|we really|i'd)?\s*(?:gotta|got to|should(?: probably| really)?|ought to|better|had better|might need to|probably need to|wanna)\s+(?<title>.+)$/is,
  },
  {
    pattern: "implicit",
    says: /^(?:please )?(?:don'?t|do not|dont|can'?t|mustn'?t|must not|never) (?:let me )?forget (?:to|about|that i (?:need|have) to)\s+(?<title>.+)$/is,
  },
  { pattern: "implicit", says: /^(?:(?:i |we )?(?:must|need to|have to) )?remember to\s+(?<title>.+)$/is },
];

/** "I need to" only with "to", except after "must". */
export const NEEDS_TO = /^(?:\S+ ){0,2}(?:need to|needs to|have to|will have to|must)\b/i;

/** What people say they need to do without wanting it on a list. */
export const NOT_A_TASK =
  /^(?:go|run|leave|sleep|think|say|admit|know|see|ask|understand|tell|show|hear|laugh|agree|confess|be (?:honest|careful|patient|going)|get going|figure|learn more|dash|head (?:out|off)|check (?:my|the) (?:tasks?|list)|wait|talk|vent|stop|relax|calm|worry)\b(?! to (?:the|my)\b)/i;

export const MENTIONS_TASK = new RegExp(`\\b${TASK}\\b`, "i");

/** Asks for the tasks without the word. */
export const ASKS_WHAT_TO_DO =
  /^(?:so |and |ok |okay )*what (?:(?:else )?(?:do|must|should) (?:i|we) (?:(?:still )?(?:have|need) to )?do\b|(?:is|'s) (?:still )?(?:left|there) to do\b)|^what(?:'s| is) (?:still )?(?:left to do|on my plate)\b/i;

/** Remarks about tasks, as against mentions of one that is to be done. */
export const REMARK =
  /\b(?:is|was|are|were|took|takes|seems?|seemed|looks?|looked|feels?|felt|love|loved|hate|hated|like|liked|thanks?|thank|hard|easy|boring|great|nice|good|awesome|bad|annoying|useful|always|usually|today i|yesterday|last (?:week|night|month)|too many|so many|enough|ago|about tasks|would be|used to|my favou?rite)\b/i;

/** Does something with a task that is there already. */
export const HANDLES =
  /^(?:strike|ignore|hold|pause|edit|rename|open|copy|share|print|move|undo|resume|start|do|keep|leave|export|sort)\b/i;

const THE = "(?:the|my|our|that|this|those|these)";
const DELETE_VERB =
  "(?:delete|remove|erase|drop|clear(?: out| off)?|wipe(?: out)?|trash|scrap|get rid of|throw (?:away|out)|purge|discard|nuke|kill|dump|bin|empty|cancel|destroy|eliminate|ditch)";

/** Wants to delete, whoever is said to do it. */
export const DELETES = new RegExp(
  `^(?:(?:i|we)(?:'d| would)? (?:want|need|like|have|wish) to |i(?:'d| would) like to |you should |you can |we should |i should |gotta |i gotta |time to )?(?<verb>${DELETE_VERB})\\s+(?<target>.+)$`,
  "is",
);
export const SPEAKS_OF_DELETING = new RegExp(
  `\\b(?:deleted?|removed?|erased?|wiped?|cleared?|purged?|trashed|scrapped|get rid of|cancel(?:led|ed|ling)?|gone)\\b`,
  "i",
);
export const ALL = /^(?:(?:all|every|each|everything|the whole|the entire)\b(?: of)?|(?:my|the|our) (?:entire|whole))/i;
export const COMPLETED = /\b(?:completed|finished|done|checked[- ]off|ticked[- ]off)\b/i;
export const TASK_WORDS = new RegExp(
  `\\b(?:${THE}\\s+)?(?:single\\s+)?(?:${TASK}|to-?do list|task list|list of tasks)\\b\\s*(?:called|named|titled|about|that says|to|for|on|with)?\\s*:?`,
  "gi",
);
export const LEADING_THE = new RegExp(`^(?:${THE}|an?)\\s+`, "i");

export const COMPLETES: readonly { readonly says: RegExp; readonly confidence: number }[] = [
  {
    confidence: 0.9,
    says: /^(?:mark|set|tick|check|flag)\s+(?:off\s+)?(?<target>.+?)\s+(?:as\s+|off\s+as\s+|to\s+)?(?:done|complete|completed|finished|off)[.!]*$/is,
  },
  { confidence: 0.9, says: /^(?:check|tick|cross|strike) off\s+(?<target>.+)$/is },
  {
    confidence: 0.9,
    says: /^(?:complete|close|finish|resolve) (?:the |my |our )?(?:task|to-?do|chore)\b:?\s*(?<target>.+)$/is,
  },
  { confidence: 0.9, says: /^(?:complete|close|finish) (?:the |my )?(?<target>.+?) (?:task|to-?do|chore)[.!]*$/is },
  { confidence: 0.85, says: /^(?:i'?m |we'?re )?(?:all )?(?:done|finished|through) with (?<target>.+)$/is },
  {
    confidence: 0.85,
    says: /^(?:i|we|i've|we've|i just|i have|we have|i already|i have just|i've just|i've already|just)\s+(?:finished|completed|done|wrapped up|took care of|taken care of|knocked out|ticked off|checked off)\s+(?<target>.+)$/is,
  },
  {
    confidence: 0.85,
    says: /^(?<target>.+?)\s+(?:is|are|has been|have been|was|got)\s+(?:done|finished|completed|complete|taken care of|handled)(?: now| already)?[.!]*$/is,
  },
  { confidence: 0.85, says: /^(?:complete|finished|completed)\s+(?<target>.+)$/is },
];

export const ASSIGNS: readonly { readonly says: RegExp; readonly confidence: number }[] = [
  { confidence: 0.9, says: /^(?:re)?assign\s+(?<target>.+?)\s+to\s+(?<assignee>\S+(?: \S+)?)$/is },
  { confidence: 0.9, says: /^delegate\s+(?<target>.+?)\s+to\s+(?<assignee>\S+(?: \S+)?)$/is },
  {
    confidence: 0.8,
    says: /^(?:give|hand|pass|hand over)\s+(?<target>.+?)\s+(?:over )?to\s+(?<assignee>\S+(?: \S+)?)$/is,
  },
  {
    confidence: 0.8,
    says: /^(?:let|have|get|make)\s+(?<assignee>[A-Z]\S*)\s+(?:to )?(?:do|handle|take|take care of|deal with)\s+(?<target>.+)$/s,
  },
  { confidence: 0.8, says: /^put\s+(?<assignee>[A-Z]\S*)\s+in charge of\s+(?<target>.+)$/s },
  {
    confidence: 0.8,
    says: /^(?<assignee>[A-Z]\S*)\s+(?:should|can|will)\s+(?:do|handle|take|take care of|take over)\s+(?<target>.+)$/s,
  },
];

export const RESCHEDULES =
  /^(?:move|reschedule|postpone|push|shift|change|delay)\s+(?<target>.+?)\s+(?:back |out )?(?:to|until|till|for|by)\s+(?<date>.+)$/is;

export const LISTS = new RegExp(
  `^(?:show|list|display|view|see|read(?: me)?|give me|get|print|pull up|tell me|open|find|check|go (?:over|through)|i(?:'d| would) like to see|i want to see|let me see|run through|remind me of)\\b.*\\b(?:${TASK}|to-?do list|task list|on my plate|my list)\\b|^(?:my |all |open |our )*${TASK}(?: list)?(?: please)?[.!?]*$`,
  "i",
);
export const PRIORITY: readonly (readonly ["low" | "high" | "urgent", RegExp])[] = [
  ["urgent", /\b(?:with )?urgent(?: priority)?\b(?!\s+care)|\basap\b|!{2,}/i],
  ["high", /\b(?:with |at )?high[- ]priority\b|\bimportant:\s*/i],
  ["low", /\b(?:with |at )?low[- ]priority\b/i],
];
