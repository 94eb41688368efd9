import { RE2JS, RE2JSException } from 're2js';

/** The result of a match. */
interface Found {
  /** Groups by position, the whole match first; undefined for a group that took no part. */
  readonly groups: readonly (string | undefined)[];
  readonly named: Readonly<Record<string, string | undefined>>;
}

/**
 * A regular expression from a user. It takes time linear in the length of the text, so that no log search or request
 * model can block the simulation. The price: it supports no lookahead and no lookbehind.
 */
export class LinearRegex {
  private constructor(private readonly regex: RE2JS) {}

  /**
   * @param source in the syntax of RE2; flags may stand inside it, as in `(?i)error`
   * @returns undefined when it is not a regular expression
   */
  static compile(source: string, { dotAll = false }: { readonly dotAll?: boolean } = {}): LinearRegex | undefined {
    try {
      return new LinearRegex(RE2JS.compile(source, dotAll ? RE2JS.DOTALL : 0));
    } catch (error) {
      if (error instanceof RE2JSException) return undefined;
      throw error;
    }
  }

  /**
   * @param source as JavaScript writes it: `\u00e9`, `(?<name>…)`
   * @returns undefined when it is not a regular expression, or one that needs more than linear time
   */
  static ofJavaScript(source: string): LinearRegex | undefined {
    return LinearRegex.compile(RE2JS.translateRegExp(source));
  }

  /** A pattern that must match the whole text, in which `*` stands for any characters. */
  static wildcards(text: string): LinearRegex {
    const pattern = text.split('*').map(RE2JS.quote).join('.*');
    return new LinearRegex(RE2JS.compile(`^${pattern}$`, RE2JS.DOTALL));
  }

  /** The source, by which Ajv distinguishes patterns. */
  toString(): string {
    return this.regex.pattern();
  }

  test(text: string): boolean {
    return this.regex.test(text);
  }

  /** Replaces every match, as Java's `replaceAll` does: `$1` is the first group. */
  replaceAll(text: string, by: string): string {
    return this.regex.matcher(text).replaceAll(by, true);
  }

  /** Replaces the first match, with the same rules. */
  replaceFirst(text: string, by: string): string {
    return this.regex.matcher(text).replaceFirst(by, true);
  }

  exec(text: string): Found | undefined {
    const matcher = this.regex.matcher(text);
    if (!matcher.find()) return undefined;
    const groups = Array.from({ length: this.regex.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined);
    const names = Object.entries(this.regex.namedGroups());
    return { groups, named: Object.fromEntries(names.map(([name, i]) => [name, groups[i]])) };
  }
}
