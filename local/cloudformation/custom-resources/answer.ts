import { scalarText } from '../../../template/values';
import { AwsError } from '../../kernel/aws-error';
import { isMembers, type Members } from '../../kernel/json';
import { parseJson } from '../../kernel/json-problem';

/** What the answer must say it is about. */
export interface Asked {
  readonly stackId: string;
  readonly logicalId: string;
  readonly requestId: string;
}

/** An answer that can be used. */
export interface Answer {
  readonly status: 'SUCCESS' | 'FAILED';
  readonly reason: string;
  readonly physicalId: string;
  /** What `Fn::GetAtt` finds. */
  readonly data: Readonly<Record<string, string>>;
  /** Whether `data` is not to be shown. */
  readonly noEcho: boolean;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html */
const MOST_BYTES = 4096;
/** Bytes of a physical id. */
const LONGEST_PHYSICAL_ID = 1024;

/** The members that must be what the request said, by the member of the answer. */
const ECHOES: readonly (readonly [member: string, of: keyof Asked])[] = [
  ['StackId', 'stackId'],
  ['RequestId', 'requestId'],
  ['LogicalResourceId', 'logicalId'],
];

/**
 * Reads what a custom resource has put at its response URL. The texts of an answer that is too long, of an unknown status
 * and of a physical id that is none are on record; the others are ours.
 *
 * @throws AwsError with the reason for which the resource fails
 * @see https://github.com/awsdocs/aws-cloudformation-user-guide/pull/262
 * @see https://github.com/PaloAltoNetworks/aws-elb-autoscaling/issues/23
 */
export function readAnswer(body: Uint8Array, asked: Asked): Answer {
  if (body.byteLength > MOST_BYTES) throw failed('Response object is too long.');
  const answer = parseJson(Buffer.from(body).toString('utf8'), words => failed(`Invalid Response object: ${words}`));
  if (!isMembers(answer)) throw failed('Invalid Response object: it must be a JSON object');
  const status = answer['Status'];
  if (status !== 'SUCCESS' && status !== 'FAILED') {
    throw failed(`Invalid Response object: '${String(status)}' is not a valid ResponseStatus`);
  }
  const physicalId = answer['PhysicalResourceId'];
  if (typeof physicalId !== 'string' || physicalId === '' || Buffer.byteLength(physicalId) > LONGEST_PHYSICAL_ID) {
    throw failed('Invalid PhysicalResourceId');
  }
  for (const [member, of] of ECHOES) {
    if (answer[member] !== asked[of]) {
      throw failed(`Invalid Response object: ${member} must be "${asked[of]}", got ${JSON.stringify(answer[member])}`);
    }
  }
  return {
    status,
    physicalId,
    reason: scalarText(answer['Reason']) ?? '',
    data: dataOf(answer),
    noEcho: answer['NoEcho'] === true || answer['NoEcho'] === 'true',
  };
}

function dataOf(answer: Members): Readonly<Record<string, string>> {
  const data = answer['Data'];
  if (data === undefined || data === null) return {};
  if (!isMembers(data)) throw failed(`Invalid Response object: Data must be an object, got ${JSON.stringify(data)}`);
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, scalarText(value) ?? JSON.stringify(value)]),
  );
}

export function failed(reason: string): AwsError {
  return new AwsError('CREATE_FAILED', reason);
}
