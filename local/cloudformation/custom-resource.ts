import { parseArn } from '../../policy/arn';
import { scalarText } from '../../template/values';
import { AwsError } from '../kernel/aws-error';
import { administrator, type Caller } from '../kernel/caller';
import { isoInstant } from '../kernel/clock';
import { isObject, type JsonObject, parseJson } from '../kernel/json';
import type { CloudFormationDependencies } from './ports';
import type { PropertyReader } from './property-reader';
import {
  type AwaitedContext,
  type AwaitedResourceType,
  type CreatedResource,
  type ExistingResource,
  FailedResource,
} from './resource-type';
import type { ResponseBucket } from './response-bucket';
import type { CustomResourceAnswer } from './stand-ins/stand-in';
import type { CloudFormationContext } from './trace-events';

const SERVICE_TIMEOUT_SECONDS = { min: 1, max: 3600 };

/** Lines that Lambda itself writes to a function's log. */
const PLATFORM_LINE = /^(?:INIT_START|START|END|REPORT)\b/;
const LONGEST_LAST_LINE = 1000;

type Send = (neighbours: CloudFormationDependencies, caller: Caller, serviceToken: string, request: string) => void;

/**
 * Senders by the service in a service token's ARN. A function is invoked asynchronously, so Lambda retries it when it
 * throws. Its requests are then identical, and the first answer counts.
 */
const SEND: Readonly<Record<string, Send>> = {
  lambda: ({ functions }, caller, FunctionName, Payload) => {
    functions().call('Invoke', caller, { FunctionName, InvocationType: 'Event', Payload: Buffer.from(Payload) });
  },
  sns: ({ topics }, caller, TopicArn, Message) => {
    topics().call('Publish', caller, { TopicArn, Message, Subject: 'AWS CloudFormation custom resource request' });
  },
};

/**
 * The failure of a provider that calls a service which is not simulated, or uses an SDK client which is not installed. The custom
 * resources of CDK do so: the contents of buckets, network interfaces, OpenID Connect providers.
 */
const NEEDS_MORE =
  /The embedded AWS|No client constructor found|is not a constructor|Cannot find (?:module|package) '@aws-sdk\/|getPeerX509Certificate/;

/** The codes of the errors for a function or topic of another app, and of another account or Region. */
const NOT_HERE: ReadonlySet<string> = new Set(['ResourceNotFoundException', 'NotFound', 'NotImplemented']);

/** Why a provider cannot answer here; undefined if it fails for a reason of its own. */
function needsMore({ code, message }: AwsError): string | undefined {
  if (NOT_HERE.has(code)) return `names what is not here: ${message}`;
  return NEEDS_MORE.test(message) ? `names a function that uses what is not simulated: ${message}` : undefined;
}

function givenAnswer(
  { PhysicalResourceId, Data = {} }: CustomResourceAnswer,
  context: AwaitedContext,
): CreatedResource {
  return { ref: PhysicalResourceId ?? context.physicalName(), attributes: Data };
}

type RequestBody =
  | { readonly RequestType: 'Create' }
  | { readonly RequestType: 'Update'; readonly PhysicalResourceId: string; readonly OldResourceProperties: unknown }
  | { readonly RequestType: 'Delete'; readonly PhysicalResourceId: string };

/**
 * `AWS::CloudFormation::CustomResource` and every `Custom::` type. CloudFormation sends a request to a function or
 * topic, and the receiver answers at a URL.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-custom-resources.html
 */
export class CustomResource implements AwaitedResourceType {
  readonly type = 'AWS::CloudFormation::CustomResource';
  readonly runsCode = true;

  constructor(
    private readonly context: CloudFormationContext,
    private readonly neighbours: CloudFormationDependencies,
    private readonly bucket: ResponseBucket,
  ) {}

  async createInTime(properties: PropertyReader, context: AwaitedContext): Promise<CreatedResource | undefined> {
    const given = this.neighbours.customResources()[context.resourceType];
    if (given) {
      properties.everything();
      return givenAnswer(given, context);
    }
    return this.orStandIn(properties, () => this.request({ RequestType: 'Create' }, properties, context));
  }

  async updateInTime(
    properties: PropertyReader,
    context: AwaitedContext,
    existing: ExistingResource,
  ): Promise<CreatedResource | undefined> {
    if (properties.string('ServiceToken') !== existing.properties.string('ServiceToken')) {
      throw new AwsError('ValidationError', 'Modifying service token is not allowed.');
    }
    const OldResourceProperties = stringified(existing.properties.everything());
    const body = { RequestType: 'Update', PhysicalResourceId: existing.ref, OldResourceProperties } as const;
    return this.orStandIn(properties, () => this.request(body, properties, context));
  }

  async deleteInTime({ ref, properties }: ExistingResource, context: AwaitedContext): Promise<void> {
    const body = { RequestType: 'Delete', PhysicalResourceId: ref } as const;
    await this.orStandIn(properties, () => this.request(body, properties, context));
  }

  /** Runs `ask`. Where a stand-in may take the place of a provider that does not run here, `properties` say why it does. */
  private async orStandIn(
    properties: PropertyReader,
    ask: () => Promise<CreatedResource | undefined>,
  ): Promise<CreatedResource | undefined> {
    const serviceToken = properties.requiredString('ServiceToken');
    try {
      if (!this.neighbours.runsFunction(serviceToken)) {
        properties.needsStandIn('ServiceToken', 'names a function that the embedded AWS does not run', serviceToken);
        if (properties.standInReason) return undefined;
      }
      return await ask();
    } catch (error) {
      const why = error instanceof AwsError ? needsMore(error) : undefined;
      if (why === undefined) throw error;
      properties.needsStandIn('ServiceToken', why);
      if (properties.standInReason) return undefined;
      throw error;
    }
  }

  private async request(
    body: RequestBody,
    properties: PropertyReader,
    { stackId, logicalId, resourceType, takesTime }: AwaitedContext,
  ): Promise<CreatedResource | undefined> {
    const serviceToken = properties.requiredString('ServiceToken');
    const answered = this.neighbours.customResources()[resourceType];
    if (answered && body.RequestType !== 'Create') {
      return { ref: answered.PhysicalResourceId ?? body.PhysicalResourceId, attributes: answered.Data ?? {} };
    }
    const timeoutSeconds = properties.number('ServiceTimeout') ?? SERVICE_TIMEOUT_SECONDS.max;
    const { min, max } = SERVICE_TIMEOUT_SECONDS;
    if (!(Number.isInteger(timeoutSeconds) && timeoutSeconds >= min && timeoutSeconds <= max)) {
      properties.problem('ServiceTimeout', `must be a whole number of seconds from ${min} to ${max}`, timeoutSeconds);
    }
    const { region: here } = this.context.place;
    const region = parseArn(serviceToken)?.region || here;
    if (region !== here)
      properties.problem('ServiceToken', `must be in the Region of the stack, ${here}`, serviceToken);
    const given = properties.everything();
    if (properties.notedProblems().length > 0) return undefined;
    const { RequestType, ...more } = body;
    const requestId = this.context.random.uuid();
    const asked: Asked = { stackId, logicalId, requestId };
    const answer = await this.ask(asked, serviceToken, timeoutSeconds, ResponseURL => {
      const request = {
        RequestType,
        ServiceToken: serviceToken,
        ResponseURL,
        StackId: stackId,
        RequestId: requestId,
        LogicalResourceId: logicalId,
        ResourceType: resourceType,
        ResourceProperties: stringified(given),
        ...more,
      };
      this.send(serviceToken, JSON.stringify(request));
      this.context.trace.record({
        type: 'cloudformation.custom-resource-requested',
        ...asked,
        resourceType,
        serviceToken,
        ...(takesTime && { requestType: RequestType }),
      });
    });
    const created = { ref: answer.physicalId, attributes: answer.data, ...(answer.noEcho && { isSecret: true }) };
    if (answer.status === 'SUCCESS') return created;
    const text = `Received response status [FAILED] from custom resource. Message returned: ${answer.reason} (RequestId: ${requestId})`;
    throw new FailedResource('CREATE_FAILED', text, created);
  }

  /** Calls `send` with the URL for the answer, and waits for the answer in virtual time. */
  private async ask(
    asked: Asked,
    serviceToken: string,
    timeoutSeconds: number,
    send: (url: string) => void,
  ): Promise<Answer> {
    const { timeline, trace, random } = this.context;
    const { stackId, logicalId, requestId } = asked;
    const body = await new Promise<Uint8Array>((resolve, reject) => {
      const deadline = timeline.after(timeoutSeconds * 1000, () => reject(this.noAnswer(requestId, serviceToken)));
      const now = isoInstant(timeline.nowMs).replace(/[-:]|\.\d+/g, '');
      const url = this.bucket.urlFor(`${stackId}|${logicalId}|${requestId}`, random.hex(64), now, answer => {
        deadline.cancel();
        resolve(answer);
      });
      try {
        send(url);
      } catch (error) {
        deadline.cancel();
        reject(error);
      }
    }).catch((error: unknown) => this.note(asked, error));
    const answer = this.read(body, asked);
    const { status, physicalId } = answer;
    trace.record({ type: 'cloudformation.custom-resource-answered', ...asked, status, physicalId });
    return answer;
  }

  private read(body: Uint8Array, asked: Asked): Answer {
    try {
      return readAnswer(body, asked);
    } catch (error) {
      return this.note(asked, error);
    }
  }

  private note(asked: Asked, error: unknown): never {
    if (error instanceof AwsError) {
      const { reason } = error;
      this.context.trace.record({ type: 'cloudformation.custom-resource-failed', ...asked, reason });
    }
    throw error;
  }

  /**
   * AWS's text, followed by the last line of the function's log, because the simulation's log is gone when the user
   * reads the error.
   *
   * @see https://github.com/aws-samples/aws-security-reference-architecture-examples/issues/162
   */
  private noAnswer(requestId: string, serviceToken: string): AwsError {
    const said = this.neighbours.functionLog(serviceToken).filter(line => !PLATFORM_LINE.test(line));
    const last = said.at(-1)?.trim().slice(0, LONGEST_LAST_LINE);
    return failed(
      'CloudFormation did not receive a response from your Custom Resource. Please check your logs for requestId ' +
        `[${requestId}]. If you are using the Python cfn-response module, you may need to update your Lambda function code ` +
        `so that CloudFormation can attach the updated version.${last === undefined ? '' : ` The log ends with: ${last}`}`,
    );
  }

  private send(serviceToken: string, request: string): void {
    const { service = '' } = parseArn(serviceToken) ?? {};
    const send = Object.hasOwn(SEND, service) ? SEND[service] : undefined;
    if (!send) throw new AwsError('ValidationError', `Invalid service token: ${serviceToken}`);
    send(this.neighbours, administrator(this.context.place.account), serviceToken, request);
  }
}

/** Converts all scalars in a value to text, as CloudFormation does. */
function stringified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stringified);
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, stringified(member)]));
  }
  return scalarText(value) ?? value;
}

/** The members of the request that the answer must repeat. */
interface Asked {
  readonly stackId: string;
  readonly logicalId: string;
  readonly requestId: string;
}

interface Answer {
  readonly status: 'SUCCESS' | 'FAILED';
  readonly reason: string;
  readonly physicalId: string;
  /** The values of `Fn::GetAtt`. */
  readonly data: Readonly<Record<string, string>>;
  /** Whether `data` must not be shown. */
  readonly noEcho: boolean;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html */
const MOST_BYTES = 4096;
/** Bytes of a physical id. */
const LONGEST_PHYSICAL_ID = 1024;

/** Members of the answer that must equal a member of the request. */
const ECHOES: readonly (readonly [member: string, of: keyof Asked])[] = [
  ['StackId', 'stackId'],
  ['RequestId', 'requestId'],
  ['LogicalResourceId', 'logicalId'],
];

/**
 * Reads the answer that a custom resource has sent to its response URL. AWS's texts are known for an answer that is too
 * long, an unknown status and an invalid physical id. **Assumption CFN-3:** The other texts are ours.
 *
 * @see https://github.com/awsdocs/aws-cloudformation-user-guide/pull/262
 * @see https://github.com/PaloAltoNetworks/aws-elb-autoscaling/issues/23
 */
function readAnswer(body: Uint8Array, asked: Asked): Answer {
  if (body.byteLength > MOST_BYTES) throw failed('Response object is too long.');
  const answer = parseJson(Buffer.from(body).toString('utf8'), words => failed(`Invalid Response object: ${words}`));
  if (!isObject(answer)) throw failed('Invalid Response object: it must be a JSON object');
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

function dataOf(answer: JsonObject): Readonly<Record<string, string>> {
  const data = answer['Data'];
  if (data === undefined || data === null) return {};
  if (!isObject(data)) throw failed(`Invalid Response object: Data must be an object, got ${JSON.stringify(data)}`);
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, scalarText(value) ?? JSON.stringify(value)]),
  );
}

function failed(reason: string): AwsError {
  return new AwsError('CREATE_FAILED', reason);
}
