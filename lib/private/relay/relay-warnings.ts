import type { IConstruct } from 'constructs';
import type { HttpRelayProps } from '../../http-relay-props';
import { warn } from '../checks';
import { isPlainHttp } from './relay-address';

/** Says what is legal of a relay, and may lose messages or give them away. */
export function warnOfRelay(scope: IConstruct, { endpoint }: HttpRelayProps): void {
  if (!isPlainHttp(endpoint)) return;
  const message = 'Messages go over the network in the clear, headers and secrets with them: use https.';
  warn(scope, 'relay-without-tls', message);
}
