/** A part of a page that is computed: `<!-- cost:NAME -->…<!-- /cost -->`. */
const REGION = /<!-- cost:([\w-]+) -->([\s\S]*?)<!-- \/cost -->/g;

/** The names of the computed parts of a page, in order. */
export function regionNames(page: string): string[] {
  return [...page.matchAll(REGION)].map(([, name = '']) => name);
}

/**
 * Writes the computed parts into a page. A part of several lines is between lines of its own.
 *
 * @throws Error when the page has a part that no function computes
 */
export function withRegions(page: string, texts: Readonly<Record<string, () => string>>): string {
  return page.replace(REGION, (_, name: string) => {
    const text = texts[name];
    if (!text) throw new Error(`no figure is named ${name}`);
    const written = text();
    const between = written.includes('\n') ? `\n${written.trimEnd()}\n` : written;
    return `<!-- cost:${name} -->${between}<!-- /cost -->`;
  });
}
