import type { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { type Page, pageOf } from '../../kernel/page';
import { arnIn } from '../../kernel/place';
import { type ActionFamily, MissingResource, type Resource } from '../../kernel/service-api';
import { invalidParameter, markedForDeletion, type Secret, secretNotFound } from '../secret';
import type { SecretsState } from '../secrets-state';

export type SecretsManagerFamily<Target extends Resource = Resource> = ActionFamily<
  SecretsState,
  SecretsManager,
  Target
>;

export type SecretsManagerAction<
  Name extends keyof SecretsManagerFamily,
  Target extends Resource = Resource,
> = Required<SecretsManagerFamily<Target>>[Name];

type Naming = { readonly SecretId: string | undefined };

/** Finds a secret, even one that is scheduled for deletion. */
export function anySecretNamed(state: SecretsState, { SecretId = '' }: Naming): Secret | MissingResource {
  const secret = state.find(SecretId);
  if (secret) return secret;
  const arn = SecretId.startsWith('arn:')
    ? SecretId
    : arnIn(state.context.place, 'secretsmanager', `secret:${SecretId}`);
  return new MissingResource(arn, secretNotFound());
}

/** Finds a secret that is not scheduled for deletion. */
export function secretNamed(state: SecretsState, input: Naming): Secret | MissingResource {
  const secret = anySecretNamed(state, input);
  const isGoing = !(secret instanceof MissingResource) && secret.deletion !== undefined;
  return isGoing ? new MissingResource(secret.arn, markedForDeletion()) : secret;
}

const MOST_RESULTS = 100;

export function secretsPage<Item>(
  all: readonly Item[],
  { MaxResults: size = MOST_RESULTS, NextToken }: { MaxResults?: number | undefined; NextToken?: string | undefined },
): Page<Item> {
  if (!(Number.isInteger(size) && size >= 1 && size <= MOST_RESULTS)) {
    throw invalidParameter(`MaxResults must be a whole number from 1 to ${MOST_RESULTS}, got ${size}`);
  }
  return pageOf(all, size, NextToken, () => invalidParameter('The NextToken you provided is not valid.'));
}

export function naming({ arn, name }: Secret): { readonly ARN: string; readonly Name: string } {
  return { ARN: arn, Name: name };
}
