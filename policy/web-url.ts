import type { Problem } from './problem';

const SCHEMES: readonly string[] = ['http:', 'https:'];

/** A host with a dot, or `localhost`, where a URL has its scheme: user, host with port and path, query. */
const WITHOUT_SCHEME =
  /^(?:\/\/)?(?:[^/?#\s]*@)?((?:(?:[a-z\d-]+\.)+[a-z\d-]+|localhost)(?::\d+)?(?:\/[^?#\s]*)?)(?:[?#].*)?$/i;

/** The URL of a text; undefined if it is no absolute http or https URL. */
export function webUrlOf(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && SCHEMES.includes(url.protocol) ? url : undefined;
}

/** The URL that a text without a scheme means, without user and query; undefined if it looks like no URL. */
export function meantUrl(text: string): string | undefined {
  const [, rest] = WITHOUT_SCHEME.exec(text) ?? [];
  return rest && `${/^localhost\b/i.test(rest) ? 'http' : 'https'}://${rest}`;
}

/** What an error shows of a URL. It never shows user, path and query, because they may be credentials. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return `${url.length} characters that are not a URL`;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

export const WEB_URL_RULE = 'must be an absolute http or https URL';

/** The problem with what is no such URL. Of one without a scheme it shows what is meant: all but user and query. */
export function notWebUrl(property: string, value: unknown): Problem {
  if (typeof value !== 'string') return { property, rule: WEB_URL_RULE, value };
  const meant = meantUrl(value);
  if (meant === undefined) return { property, rule: WEB_URL_RULE, value: shownUrl(value) };
  return { property, rule: `${WEB_URL_RULE} such as ${meant}`, value: meant.replace(/^https?:\/\//, '') };
}

export function webUrlProblems(property: string, value: unknown): Problem[] {
  return typeof value === 'string' && webUrlOf(value) ? [] : [notWebUrl(property, value)];
}
