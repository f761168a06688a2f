import { normalise } from "./text.js";

/*
 * Questions about the assistant itself. Only a whole message is one: "help me with the roses" is about something else.
 */

const HELP =
  /^(?:(?:hi|hello|hey)[,!]? )?(?:help|help me|i need help|what (?:can|do) you do|what can i (?:do|ask|say)(?: here)?|how (?:does|do) (?:this|it|you) work|who are you|帮助|帮帮我|你(?:能|会|可以)(?:帮我)?(?:做|干)?(?:什么|些什么|啥)|怎么用|你是谁)$/i;

const WAITING =
  /^(?:what(?:'s| is| are| still)?(?: still)? (?:waits?|waiting|pending)(?: (?:for|on) (?:me|my (?:answer|approval|yes)))?|what (?:do i have|is there) to (?:approve|confirm|answer)|(?:is|are) there anything (?:waiting|pending|to approve|to confirm)(?: for me)?|is (?:anything|something) (?:waiting|pending)(?: for (?:me|my (?:answer|approval)))?|do i have (?:anything|something) to (?:approve|confirm|answer)|(?:现在|还)?有(?:什么|哪些|没有)?(?:事|操作|东西)?在?(?:等|待)(?:着|待)?我?(?:来)?(?:确认|批准|同意|审批|处理|答复|回复)的?(?:吗|事|操作)?)$/i;

const said = (message: string): string => normalise(message).replace(/[\s.!?。！？~]+$/, "");

/** Somebody asks what the assistant is there for. */
export function asksForHelp(message: string): boolean {
  return HELP.test(said(message));
}

/** Somebody asks what waits for their answer. */
export function asksWhatWaits(message: string): boolean {
  return WAITING.test(said(message));
}
