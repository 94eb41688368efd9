import type { Parameter as ShownParameter } from '@aws-sdk/client-ssm';
import { KEY_ACCESS_DENIED, keyRefusal } from '../kernel/access';
import { AccessRefused, AwsError, notImplemented } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import { arnIn } from '../kernel/place';
import type { RequestChecks } from '../kernel/service-api';
import { type NamedParameter, Parameter, parseParameterName, resourceOfName } from './parameter';
import { referencedSecret, type SecretReader } from './secret-reference';
import type { SsmContext } from './trace-events';

/** The AWS managed key, for SecureStrings without a key. */
export const DEFAULT_KEY = 'alias/aws/ssm';

type KeyAction = 'kms:Encrypt' | 'kms:Decrypt' | 'kms:GenerateDataKey';

/** The parameters of the account. */
export class SsmState {
  private readonly parameters = new Map<string, Parameter>();

  constructor(
    readonly context: SsmContext,
    /** The checks of actions on several parameters, which need a permission for each. */
    readonly checks: RequestChecks,
    private readonly secrets: SecretReader,
  ) {}

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  arnOf(name: string): string {
    return arnIn(this.context.place, 'ssm', resourceOfName(name));
  }

  find(name: string): Parameter | undefined {
    return this.parameters.get(name);
  }

  /** All parameters, sorted by name. */
  all(): readonly Parameter[] {
    return [...this.parameters.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  create(name: string): Parameter {
    const parameter = new Parameter(name, this.arnOf(name));
    this.parameters.set(name, parameter);
    return parameter;
  }

  delete(parameter: Parameter): void {
    this.parameters.delete(parameter.name);
    this.context.trace.record({ type: 'ssm.parameter-deleted', parameterArn: parameter.arn });
  }

  /** Parses the name of a parameter: a name or ARN, with an optional version or label. */
  named(text: string): NamedParameter {
    if (text.startsWith('/aws/service/')) throw notImplemented(`the public parameters of AWS (${text})`);
    return parseParameterName(text, name => this.parameters.has(name));
  }

  /** Reads a secret by the name of a parameter that refers to it. */
  secret(text: string, decrypt: boolean | undefined, caller: Caller): ShownParameter {
    return referencedSecret(text, decrypt, asked => this.secrets.read(caller, asked));
  }

  checkKey(parameterArn: string, keyId: string, action: KeyAction, caller: Caller): void {
    const context = { ...caller.context, 'kms:EncryptionContext:PARAMETER_ARN': parameterArn };
    const refusal = keyRefusal(this.context, { keyId, caller: { ...caller, context }, via: 'ssm' }, action);
    if (!refusal) return;
    const { code, reason, httpStatus } = refusal;
    if (httpStatus >= 500) throw new AwsError('InternalServerError', reason, httpStatus);
    if (code !== KEY_ACCESS_DENIED) throw new AwsError('InvalidKeyId', reason);
    throw new AccessRefused(
      'AccessDeniedException',
      'The ciphertext refers to a customer master key that does not exist, does not exist in this region, or you are not ' +
        'allowed to access.',
      400,
      reason,
    );
  }
}
