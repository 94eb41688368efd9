import type { Parameter as ShownParameter, SSM } from '@aws-sdk/client-ssm';
import type { Caller } from '../../kernel/caller';
import { Constraints, validationException } from '../../kernel/constraints';
import { type Page, pageOf } from '../../kernel/page';
import { type ActionFamily, MissingResource, type Resource } from '../../kernel/service-api';
import { type Parameter, type ParameterVersion, parameterNotFound } from '../parameter';
import { DEFAULT_KEY, type SsmState } from '../ssm-state';

export type SsmFamily<Target extends Resource = Resource> = ActionFamily<SsmState, SSM, Target>;

/** Finds the parameter of a call, ignoring the version. */
export function parameterNamed(state: SsmState, text: string | undefined): Parameter | MissingResource {
  const { name } = state.named(text ?? '');
  return state.find(name) ?? new MissingResource(state.arnOf(name), parameterNotFound(text ?? ''));
}

/**
 * A version in the form for the caller.
 *
 * @throws AwsError when a SecureString should be decrypted and the caller may not use its key
 */
export function shown(
  state: SsmState,
  parameter: Parameter,
  version: ParameterVersion,
  caller: Caller,
  { selector = '', decrypt = false }: { readonly selector?: string; readonly decrypt?: boolean | undefined },
): ShownParameter {
  const { type, value, cipherText, keyId = DEFAULT_KEY, modifiedAtMs } = version;
  if (type === 'SecureString' && decrypt) state.checkKey(parameter.arn, keyId, 'kms:Decrypt', caller);
  return {
    Name: parameter.name,
    Type: type,
    Value: decrypt ? value : (cipherText ?? value),
    Version: version.version,
    ...(selector !== '' && { Selector: `:${selector}` }),
    LastModifiedDate: new Date(modifiedAtMs),
    ARN: parameter.arn,
    DataType: 'text',
  };
}

/** @throws AwsError `ValidationException`, `InvalidNextToken` */
export function ssmPage<Item>(
  all: readonly Item[],
  { MaxResults: size, NextToken }: { MaxResults?: number | undefined; NextToken?: string | undefined },
  most: number,
): Page<Item> {
  new Constraints().range('maxResults', size, 1, most).check();
  return pageOf(all, size ?? most, NextToken, () => validationException('The specified token is not valid.'));
}
