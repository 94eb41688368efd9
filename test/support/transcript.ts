/** A console block of a page. */
const CONSOLE = /^```console\n[\s\S]*?^```$/gm;

/** Marks omitted parts. */
const LEFT_OUT = '…';

/** Replaces the console blocks of a page, in order. */
export function withConsole(page: string, blocks: readonly string[]): string {
  const there = page.match(CONSOLE)?.length ?? 0;
  if (there !== blocks.length) throw new Error(`the page has ${there} console blocks, and there are ${blocks.length}`);
  const left = blocks.values();
  return page.replace(CONSOLE, () => `\`\`\`console\n${left.next().value ?? ''}\`\`\``);
}

/** Shortens a long text to its first part, the parts that begin with one of these, and the last part. */
export function shortened(text: string, starts: readonly string[]): string {
  const parts = text.trimEnd().split('\n\n');
  const isKept = (part: string, at: number) =>
    at === 0 || at === parts.length - 1 || starts.some(start => part.trimStart().startsWith(start));
  const kept = parts.map((part, at) => (isKept(part, at) ? part : LEFT_OUT));
  return `${kept.filter((part, at) => part !== LEFT_OUT || kept[at - 1] !== LEFT_OUT).join('\n\n')}\n`;
}
