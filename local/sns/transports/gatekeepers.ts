import type { AccessControl } from '../../kernel/access';
import type { RoleTrust } from '../../kernel/role-trust';
import type { Platforms } from '../push/platforms';
import type { Phones } from '../sms/phones';
import { type Gatekeeper, refusedEnd } from './recorded-transport';
import { streamRefusal } from './stream-permission';

/** Devices that are disabled, or whose app is, are not tried; a device that is gone is disabled. */
export function deviceGatekeeper(platforms: Platforms): Gatekeeper {
  return {
    refusalOf: ({ endpoint }) => {
      const refusal = platforms.refusalOf(endpoint);
      return refusal && refusedEnd(400, refusal.code, refusal.message);
    },
    learn: ({ endpoint }, outcome) => platforms.learn(endpoint, outcome),
  };
}

const OPTED_OUT = 'Phone number is opted out';

/** Nothing reaches somebody who has opted out. */
export function phoneGatekeeper(phones: Phones): Gatekeeper {
  const end = {
    outcome: { kind: 'answered', statusCode: 400, errorCode: OPTED_OUT },
    providerResponse: () => OPTED_OUT,
  } as const;
  return { refusalOf: ({ endpoint }) => (phones.refuses(endpoint) ? end : undefined) };
}

/** SNS writes to a stream with the role of the subscription, if it may. */
export function streamGatekeeper(access: AccessControl, roles: RoleTrust): Gatekeeper {
  return { refusalOf: destination => streamRefusal(destination, access, roles) };
}
