/** One place of the command line: what may come next there. */
export interface Place {
  /** The commands that lead there, each after a slash; empty at the beginning. */
  readonly path: string;
  /** Commands, and what an argument may be where only certain words are allowed. */
  readonly words: readonly string[];
  readonly options: readonly { readonly long: string; readonly takesValue: boolean }[];
}

/**
 * A script for each shell. All of them walk along the words before the cursor and go deeper at each that is a command there, so that
 * options and their values may stand between. What begins with a dash is completed to an option; where there is no word to
 * come, and after `--`, the shell offers files.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<string, (places: readonly Place[]) => string>> = { bash, zsh, fish };

function bash(places: readonly Place[]): string {
  return `_countersign() {
  local word="\${COMP_WORDS[COMP_CWORD]}" at="" list="" options="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "\${COMP_WORDS[i]}" = -- ] && return
    case "$at/\${COMP_WORDS[i]}" in
      ${deeper(places).join("|")}) at="$at/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${cases(places)}
  esac
  case "$word" in -*) list="$options" ;; esac
  COMPREPLY=($(compgen -W "$list" -- "$word"))
}
complete -o default -F _countersign countersign`;
}

/** Sourced, or found as a file on the `fpath`: then it is called by its name the first time. */
function zsh(places: readonly Place[]): string {
  return `#compdef countersign
_countersign() {
  local at="" list="" options="" i
  for ((i = 2; i < CURRENT; i++)); do
    if [[ "\${words[i]}" == -- ]]; then _files; return; fi
    case "$at/\${words[i]}" in
      ${deeper(places).join("|")}) at="$at/\${words[i]}" ;;
    esac
  done
  case "$at" in
${cases(places)}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then compadd -- \${=options}
  elif [[ -n "$list" ]]; then compadd -- \${=list}
  else _files; fi
}
if [[ "\${funcstack[1]}" == _countersign ]]; then _countersign "$@"; else compdef _countersign countersign; fi`;
}

function fish(places: readonly Place[]): string {
  return `function __countersign_is_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    test "$word" = --; and return 1
    switch "$at/$word"
      case ${deeper(places).join(" ")}
        set at "$at/$word"
    end
  end
  test "$at" = "$argv[1]"
end
${places.flatMap(fishLines).join("\n")}`;
}

function fishLines({ path, words, options }: Place): string[] {
  const here = `complete -c countersign -n '__countersign_is_at "${path}"'`;
  return [
    ...(words.length === 0 ? [] : [`${here} -f -a "${words.join(" ")}"`]),
    ...options.map(({ long, takesValue }) => `${here} -l ${long.slice("--".length)}${takesValue ? " -r" : ""}`),
  ];
}

function cases(places: readonly Place[]): string {
  return places
    .map(({ path, words, options }) => {
      const names = options.map(({ long }) => long).join(" ");
      return `    "${path}") list="${words.join(" ")}" options="${names}" ;;`;
    })
    .join("\n");
}

/** Every place that a further word leads to. */
function deeper(places: readonly Place[]): string[] {
  return places.map(({ path }) => path).filter((path) => path !== "");
}
