import { isMembers } from '../kernel/json';
import type { ServiceModel } from './service-model';

const QUEUE_URL = /^https:\/\/sqs\.[^/]+(\/\d{12}\/[^/]+)$/;
const API_URL = /^https:\/\/([a-z0-9]+)\.execute-api\.[^/]+(\/.*)?$/;

/**
 * A service's output with the URLs of AWS in it as the client can use them. SDKs send a queue's requests to the host its
 * URL names, and a browser knows no host of an API but the one it is told.
 *
 * @param reachedAt where the client reaches AWS; undefined for AWS's own hosts, where every URL holds as it is
 */
export function atAddress({ urlMembers }: ServiceModel, output: unknown, reachedAt: string | undefined): unknown {
  if (reachedAt === undefined || urlMembers.length === 0 || !isMembers(output)) return output;
  if (urlMembers === 'any') return everywhere(output, reachedAt);
  const changed = urlMembers
    .filter(name => output[name] !== undefined)
    .map(name => [name, everywhere(output[name], reachedAt)]);
  return changed.length === 0 ? output : { ...output, ...Object.fromEntries(changed) };
}

/** A URL of AWS at another address; any other text as it is. */
export function urlAt(url: string, reachedAt: string): string {
  const [, queue] = QUEUE_URL.exec(url) ?? [];
  if (queue !== undefined) return reachedAt + queue;
  const [, api, path = '/'] = API_URL.exec(url) ?? [];
  return api === undefined ? url : `${reachedAt}/_aws/execute-api/${api}${path}`;
}

function everywhere(value: unknown, reachedAt: string): unknown {
  if (typeof value === 'string') return urlAt(value, reachedAt);
  if (Array.isArray(value)) return value.map(item => everywhere(item, reachedAt));
  if (!isMembers(value) || value instanceof Date || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, everywhere(member, reachedAt)]));
}
