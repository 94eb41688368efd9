import type { Problem } from '../../../policy/problem';

/** What SNS tells one subscription of a topic from another by. */
export interface Endpoint {
  readonly protocol: string;
  readonly endpoint?: string;
}

function keyOf({ protocol, endpoint = '' }: Endpoint): string {
  return `${protocol} ${endpoint}`;
}

/**
 * What is subscribed to a topic. A second subscription of the same endpoint is the first one to SNS: with other
 * attributes it is rejected, with the same ones two resources share it, and the first to be deleted unsubscribes it.
 *
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
 */
export class Endpoints {
  private readonly pathByEndpoint = new Map<string, string>();

  public add(endpoint: Endpoint, path: string): void {
    this.pathByEndpoint.set(keyOf(endpoint), path);
  }

  /** A problem if `endpoint` is subscribed already. It names the place of the other: a URL may hold credentials. */
  public problems(endpoint: Endpoint): Problem[] {
    const taken = this.pathByEndpoint.get(keyOf(endpoint));
    const rule = 'must not be subscribed to this topic already';
    return taken === undefined ? [] : [{ property: 'endpoint', rule, value: taken }];
  }
}
