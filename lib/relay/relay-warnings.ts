import type { IConstruct } from 'constructs';
import { warn } from '../shared/checks';
import type { HttpRelayProps } from './http-relay-props';
import { isPlainHttp } from './relay-address';

const NO_VPC =
  'A function outside a VPC reaches no private address: every message to one becomes a dead letter. Pass vpc, or leave allowedPrivateRanges out.';

const NO_TLS = 'Messages go over the network in the clear, headers and secrets with them: use https.';

/** Says what is legal of a relay, and may lose messages or give them away. */
export function warnOfRelay(scope: IConstruct, { endpoint, allowedPrivateRanges = [], vpc }: HttpRelayProps): void {
  if (isPlainHttp(endpoint)) warn(scope, 'relay-without-tls', NO_TLS);
  if (allowedPrivateRanges.length > 0 && !vpc) warn(scope, 'private-ranges-without-vpc', NO_VPC);
}
