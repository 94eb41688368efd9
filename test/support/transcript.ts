/** What a page shows of a terminal, block by block. */
const CONSOLE = /^```console\n[\s\S]*?^```$/gm;

/** What stands for what is left out. */
const LEFT_OUT = '…';

/** A page whose console blocks are these, in order. */
export function withConsole(page: string, blocks: readonly string[]): string {
  const there = page.match(CONSOLE)?.length ?? 0;
  if (there !== blocks.length) throw new Error(`the page has ${there} console blocks, and there are ${blocks.length}`);
  const left = blocks.values();
  return page.replace(CONSOLE, () => `\`\`\`console\n${left.next().value ?? ''}\`\`\``);
}

/** Of a long text the first part, those that begin with one of these, and the last. */
export function shortened(text: string, starts: readonly string[]): string {
  const parts = text.trimEnd().split('\n\n');
  const isKept = (part: string, at: number) =>
    at === 0 || at === parts.length - 1 || starts.some(start => part.trimStart().startsWith(start));
  const kept = parts.map((part, at) => (isKept(part, at) ? part : LEFT_OUT));
  return `${kept.filter((part, at) => part !== LEFT_OUT || kept[at - 1] !== LEFT_OUT).join('\n\n')}\n`;
}
