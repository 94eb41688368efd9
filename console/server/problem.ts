import { areCredentialsRefused, isDenied, isUnreachable } from '../../account/connection/calls';
import { BadInput, messageOf } from '../../account/errors';
import { ReceiveMoves } from '../../account/messages/receive-guard';
import type { Problem } from '../api';

export class ReadOnly extends Error {
  constructor() {
    super('This console is read-only: start it with --allow-changes to change something.');
    this.name = 'ReadOnly';
  }
}

function kindOf(error: unknown): Problem['kind'] {
  if (error instanceof BadInput) return 'input';
  if (error instanceof ReadOnly) return 'read-only';
  if (!(error instanceof Error)) return 'failed';
  if (areCredentialsRefused(error)) return 'credentials';
  if (isDenied(error)) return 'denied';
  if (/Throttl|TooManyRequests|RequestLimitExceeded/.test(error.name)) return 'throttled';
  return isUnreachable(error) ? 'unreachable' : 'failed';
}

/** What a reader does about a refusal of credentials. Each read looks for credentials again. */
const RENEW =
  'Renew them, for example with aws sso login: the page then continues. Only credentials in environment variables need a restart of dlo.';

export function problemOf(error: unknown): Problem {
  if (error instanceof ReceiveMoves) return { kind: 'input', says: `${error.says}.`, mayForce: true };
  const kind = kindOf(error);
  const says = messageOf(error);
  return { kind, says: kind === 'credentials' ? `${says.replace(/\.?$/, '.')} ${RENEW}` : says };
}
