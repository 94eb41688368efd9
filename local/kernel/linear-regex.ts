import { RE2JS, RE2JSException } from 're2js';

/** What a match has found. */
export interface Found {
  /** By position, the whole match first; undefined where a group took no part. */
  readonly groups: readonly (string | undefined)[];
  readonly named: Readonly<Record<string, string | undefined>>;
}

/**
 * A regular expression from outside. It takes time linear in the text, whatever the pattern: nobody can hang the world by
 * searching its logs, or by a text it lets a model check. The price is that nothing looks ahead or back.
 */
export class LinearRegex {
  private constructor(private readonly regex: RE2JS) {}

  /**
   * @param source in the syntax of RE2; flags may stand inside, as in `(?i)error`
   * @returns undefined when it is no regular expression
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
   * @returns undefined when it is no regular expression, or one that takes more than linear time
   */
  static ofJavaScript(source: string): LinearRegex | undefined {
    return LinearRegex.compile(RE2JS.translateRegExp(source));
  }

  /** A pattern in which `*` stands for anything; it is the whole text. */
  static wildcards(text: string): LinearRegex {
    const pattern = text.split('*').map(RE2JS.quote).join('.*');
    return new LinearRegex(RE2JS.compile(`^${pattern}$`, RE2JS.DOTALL));
  }

  /** Its source: Ajv tells patterns apart by it. */
  toString(): string {
    return this.regex.pattern();
  }

  test(text: string): boolean {
    return this.regex.test(text);
  }

  /** Every match replaced, as Java's `replaceAll` does: `$1` is the first group. */
  replaceAll(text: string, by: string): string {
    return this.regex.matcher(text).replaceAll(by, true);
  }

  /** The same with the first match alone. */
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
