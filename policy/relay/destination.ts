import type { AddressGuards } from '../address-guard';
import { addressIn } from '../address-guard';
import type { Problem } from '../problem';
import { notWebUrl, WEB_URL_RULE, webUrlOf } from '../web-url';

type InvalidCause = 'not-a-url' | 'forbidden-address' | 'in-the-clear';

/** The URL of an endpoint, or what is wrong with it. */
export type DestinationReading =
  | {
      readonly kind: 'destination';
      readonly url: URL;
      /** The URL for logs: without user and query. Only the host if the URL is a secret. */
      readonly shown: string;
    }
  /** The URL itself is wrong, so that no retry helps. */
  | {
      readonly kind: 'refused';
      readonly cause: InvalidCause;
      readonly problem: Problem;
      readonly shown: string;
    };

const CLEAR_RULE = 'must be https, but for a host within allowedPrivateRanges';

const USER_RULE = 'must have neither user nor password: send credentials in a header, or as an access token';

/** The URL for logs. User and query may contain credentials, and in a secret URL the path may too. */
function shownOf({ origin, host, pathname }: URL, isSecret: boolean): string {
  return isSecret ? host : `${origin}${pathname}`;
}

/**
 * Reads the URL of an endpoint and checks it. It does not resolve names: see `guardedLookup`. `URL` normalizes every spelling of
 * an address (`0x7f.1`, `2130706433`, `①②⑦.0.0.1`).
 *
 * @param property names the URL in a problem
 * @param isSecret whether logs may show only the host
 */
export function readDestination(
  property: string,
  text: string,
  guards: AddressGuards,
  isSecret: boolean,
): DestinationReading {
  const refused = (cause: InvalidCause, rule: string, value: unknown, shown: string) =>
    ({ kind: 'refused', cause, problem: { property, rule, value }, shown }) as const;
  const trimmed = text.trim();
  const url = webUrlOf(trimmed);
  if (!url) {
    const { rule, value } = notWebUrl(property, trimmed);
    if (isSecret) return refused('not-a-url', WEB_URL_RULE, `a text of ${text.length} characters`, 'no URL');
    return refused('not-a-url', rule, value, 'no URL');
  }
  const shown = shownOf(url, isSecret);
  if (url.username !== '' || url.password !== '') {
    return refused('not-a-url', USER_RULE, url.host, shown);
  }
  const address = addressIn(url.hostname);
  const why = address === undefined ? undefined : guards['https:'](address);
  if (why !== undefined) {
    return refused('forbidden-address', `must name a public host, and ${address} ${why}`, url.hostname, shown);
  }
  const isOpen = address === undefined ? guards.allowsHttp : guards['http:'](address) === undefined;
  if (url.protocol === 'https:' || isOpen) return { kind: 'destination', url, shown };
  return refused('in-the-clear', CLEAR_RULE, `http://${url.host}`, shown);
}
