import type { Parameter as ShownParameter } from '@aws-sdk/client-ssm';
import { AwsError } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import { validationException } from '../kernel/constraints';

/** A secret as Secrets Manager answers it. */
interface SecretAnswer {
  readonly ARN?: string | undefined;
  readonly Name?: string | undefined;
  readonly VersionId?: string | undefined;
  readonly SecretString?: string | undefined;
  readonly VersionStages?: readonly string[] | undefined;
  readonly CreatedDate?: Date | undefined;
}

export interface SecretReader {
  /** Reads a secret with the permissions of the caller, which are checked before the secret is looked up. */
  read(
    caller: Caller,
    asked: { readonly SecretId: string; readonly VersionId?: string; readonly VersionStage?: string },
  ): SecretAnswer;
}

const REFERENCE = /^\/aws\/reference\/secretsmanager\/([^:]+)(?::(.*))?$/s;
const VERSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isReference = (text: string): boolean => text.startsWith('/aws/reference/secretsmanager/');

/** Whether the error concerns this one name, so that `GetParameters` lists the name as invalid. */
export class InvalidReference extends AwsError {}

/**
 * Reads a secret of Secrets Manager by the name of a parameter. The order of the checks and the texts were recorded on AWS on
 * 28 September 2026 by the authors of floci, another emulator.
 *
 * @param text `/aws/reference/secretsmanager/NAME`, with the id or the label of a version after a colon
 * @throws AwsError `ParameterNotFound`, `ValidationException`
 * @see https://docs.aws.amazon.com/systems-manager/latest/userguide/integration-ps-secretsmanager.html
 */
export function referencedSecret(
  text: string,
  decrypt: boolean | undefined,
  read: (asked: Parameters<SecretReader['read']>[1]) => SecretAnswer,
): ShownParameter {
  const [, name, selector] = REFERENCE.exec(text) ?? [];
  if (name === undefined || selector === '' || selector?.includes(':')) {
    throw invalid(
      'Invalid parameter name. Please use correct syntax for referencing a version/label  <name>:<version/label>',
    );
  }
  if (!decrypt) throw invalid('WithDecryption flag must be True for retrieving a Secret Manager secret.');
  const version = selector !== undefined && { [VERSION_ID.test(selector) ? 'VersionId' : 'VersionStage']: selector };
  const secret = reading(text, () => read({ SecretId: name, ...version }));
  const { ARN, Name, VersionId, SecretString, VersionStages, CreatedDate } = secret;
  const source = { ARN, name: Name, versionId: VersionId, secretString: SecretString, versionStages: VersionStages };
  return {
    Name: text.slice(0, text.length - (selector === undefined ? 0 : selector.length + 1)),
    Type: 'SecureString',
    Value: SecretString,
    Version: 0,
    ...(selector !== undefined && { Selector: `:${selector}` }),
    SourceResult: asGson({ ...source, createdDate: CreatedDate && asJavaDate(CreatedDate) }),
    LastModifiedDate: CreatedDate,
    ARN,
  };
}

/** JSON as Gson writes it: without characters that HTML gives a meaning. */
function asGson(value: object): string {
  return JSON.stringify(value).replaceAll(/[<>&='\u2028\u2029]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** `Jan 2, 2026, 3:04:05 PM`, in UTC. */
function asJavaDate(date: Date): string {
  const [, day, month, year, time = ''] = date.toUTCString().split(' ');
  const hours = date.getUTCHours();
  const clock = `${hours % 12 || 12}${time.slice(2)} ${hours < 12 ? 'AM' : 'PM'}`;
  return `${month} ${Number(day)}, ${year}, ${clock}`;
}

const invalid = (message: string): AwsError => new InvalidReference('ValidationException', message);

function reading<Answer>(text: string, read: () => Answer): Answer {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    if (error.httpStatus >= 500) throw new AwsError('InternalServerError', error.reason, error.httpStatus);
    if (error.code === 'InvalidRequestException') throw validationException('Invalid Request to Secrets Manager');
    if (error.code !== 'ResourceNotFoundException') {
      throw validationException('An error occurred while calling one AWS dependency service.');
    }
    // AWS writes `null` where no version is named.
    const named = `${text.slice(1)}${/:[^/]*$/.test(text) ? '' : 'null'}`;
    throw new InvalidReference(
      'ParameterNotFound',
      `An error occurred (ParameterNotFound) when referencing Secrets Manager: Secret ${named} not found.`,
    );
  }
}
