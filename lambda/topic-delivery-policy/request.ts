/** One request of CloudFormation, as far as it can be answered: its properties are judged by `readProperties`. */
export interface Request {
  /** `Create`, `Update` or `Delete`, unless CloudFormation learns another. */
  readonly requestType: string;
  /** Signed: whoever knows it may answer, so it is never shown. */
  readonly responseUrl: URL;
  readonly stackId: string;
  readonly requestId: string;
  readonly logicalId: string;
  /** What an earlier answer named the resource; undefined before the first. */
  readonly physicalId: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What the template wants. */
export interface Properties {
  readonly topicArn: string;
  /** The JSON of the topic's `DeliveryPolicy` attribute. */
  readonly deliveryPolicy: string;
}

/** Something that cannot be answered, for it does not say where. */
export class NotARequestError extends Error {
  override readonly name = 'NoRequestError';
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function text(members: Members, name: string): string {
  const value = members[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new NotARequestError(`no request of CloudFormation: ${name} must be text that is not empty`);
}

/**
 * Reads what CloudFormation sent.
 * @throws NoRequestError where it lacks what an answer needs; the error does not show the URL
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requests.html
 */
export function readRequest(event: unknown): Request {
  const members = membersOf(event);
  const url = text(members, 'ResponseURL');
  const responseUrl = URL.canParse(url) ? new URL(url) : undefined;
  if (responseUrl?.protocol !== 'https:') {
    throw new NotARequestError('no request of CloudFormation: ResponseURL must be an https URL');
  }
  const physicalId = members['PhysicalResourceId'];
  return {
    requestType: text(members, 'RequestType'),
    responseUrl,
    stackId: text(members, 'StackId'),
    requestId: text(members, 'RequestId'),
    logicalId: text(members, 'LogicalResourceId'),
    physicalId: typeof physicalId === 'string' && physicalId !== '' ? physicalId : undefined,
    properties: membersOf(members['ResourceProperties']),
  };
}

const RULES: readonly (readonly [name: string, rule: string, pattern: RegExp])[] = [
  ['TopicArn', "must be a topic's ARN", /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w.-]+$/],
  ['DeliveryPolicy', 'must be a JSON object, as text', /^\s*\{/],
];

/** What the template wants, or everything that is wrong with it in one sentence. */
export function readProperties(properties: Members): Properties | string {
  const problems = RULES.flatMap(([name, rule, pattern]) => {
    const value = properties[name];
    return typeof value === 'string' && pattern.test(value) ? [] : [`${name} ${rule}, got ${JSON.stringify(value)}`];
  });
  if (problems.length > 0) return problems.join('; ');
  return { topicArn: String(properties['TopicArn']), deliveryPolicy: String(properties['DeliveryPolicy']) };
}
