import type { ReactNode } from "react";
import { Mark } from "../shell/mark.js";
import { useWords } from "../words/words.js";

export function Frame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const words = useWords();
  return (
    <main className="grid min-h-dvh content-center sm:justify-center sm:p-6">
      <div className="mb-5 flex items-center gap-2.5 max-sm:px-5">
        <Mark />
        <span className="text-lg font-semibold">{words.product}</span>
      </div>
      <div className="sheet flex flex-col gap-5 max-sm:border-y max-sm:border-line max-sm:py-8 sm:w-[26rem]">
        <h1 className="text-[22px]/[30px] font-semibold">{title}</h1>
        {children}
      </div>
    </main>
  );
}
