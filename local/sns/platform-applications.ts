import { parseArn } from '../../policy/arn';
import { notImplemented } from '../kernel/aws-error';
import type { Resource } from '../kernel/service-api';
import { invalidParameter } from './errors';

/** The push services SNS knows. */
const PLATFORMS = [
  'ADM',
  'APNS',
  'APNS_SANDBOX',
  'APNS_VOIP',
  'APNS_VOIP_SANDBOX',
  'BAIDU',
  'FCM',
  'GCM',
  'MACOS',
  'MACOS_SANDBOX',
  'MPNS',
  'WNS',
] as const;

/** Those whose credentials have no principal beside them. */
const WITHOUT_PRINCIPAL: readonly string[] = ['GCM', 'FCM'];

/** What attributes are told back; credentials never are. */
const SHOWN: readonly string[] = [
  'ApplePlatformBundleID',
  'ApplePlatformTeamID',
  'Enabled',
  'FailureFeedbackRoleArn',
  'SuccessFeedbackRoleArn',
  'SuccessFeedbackSampleRate',
];

const CREDENTIALS: readonly string[] = ['PlatformCredential', 'PlatformPrincipal'];

/** Topics that are to be told of devices. */
const EVENTS = /^Event(EndpointCreated|EndpointDeleted|EndpointUpdated|DeliveryFailure)$/;

const NAME = /^[A-Za-z0-9_.-]+$/;
const MAX_NAME_LENGTH = 256;

/** @throws AwsError when an app cannot have such a name, or there is no such push service */
export function checkApplication(name: string, platform: string): void {
  if (name === '') throw invalidParameter(' Reason: cannot be empty');
  if (name.length > MAX_NAME_LENGTH) throw invalidParameter(`${name} Reason: must be at most 256 characters long`);
  if (!NAME.test(name)) {
    throw invalidParameter(`${name} Reason: must contain only characters 'a'-'z', 'A'-'Z', '0'-'9', '_', '-', and '.'`);
  }
  if (!PLATFORMS.some(known => known === platform)) {
    throw invalidParameter(`Platform Reason: ${platform} is not supported`);
  }
}

/** @throws AwsError when what SNS is to show the push service is not whole */
export function checkCredentials(platform: string, attributes: Readonly<Record<string, string>>): void {
  const [hasCredential, hasPrincipal] = CREDENTIALS.map(name => name in attributes);
  if (hasPrincipal && !hasCredential) {
    throw invalidParameter('Attributes Reason: PlatformPrincipal attribute provided without PlatformCredential');
  }
  if (!hasCredential) throw invalidParameter('Attributes Reason: PlatformCredential attribute required');
  if (!hasPrincipal && !WITHOUT_PRINCIPAL.includes(platform)) {
    throw invalidParameter('Attributes Reason: PlatformCredential attribute provided without PlatformPrincipal');
  }
}

/** @throws AwsError at the first attribute an app cannot have */
function checkAttributes(attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (EVENTS.test(name)) throw notImplemented(`the platform application attribute ${name}`);
    if (!SHOWN.includes(name) && !CREDENTIALS.includes(name)) {
      throw invalidParameter(`Attributes Reason: Invalid attribute name: ${name}`);
    }
    if (name === 'Enabled' && value !== 'true' && value !== 'false') {
      throw invalidParameter('Attributes Reason: Invalid value for attribute: Enabled');
    }
  }
}

/** An app at a push service, in whose name SNS reaches its devices. */
export class PlatformApplication implements Resource {
  private own: Readonly<Record<string, string>>;

  /** @throws AwsError when it cannot have one of the attributes */
  constructor(
    readonly arn: string,
    readonly platform: string,
    readonly name: string,
    attributes: Readonly<Record<string, string>>,
  ) {
    checkAttributes(attributes);
    this.own = { Enabled: 'true', ...attributes };
  }

  get isEnabled(): boolean {
    return this.own['Enabled'] === 'true';
  }

  attribute(name: string): string | undefined {
    return this.own[name];
  }

  /** What of its attributes is told back. */
  get attributes(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.own).filter(([name]) => SHOWN.includes(name)));
  }

  /** @throws AwsError, and nothing is set, when it cannot have one of them */
  set(attributes: Readonly<Record<string, string>>): void {
    checkAttributes(attributes);
    this.own = { ...this.own, ...attributes };
  }

  /** Whether it has all of these, credentials included. */
  has(attributes: Readonly<Record<string, string>>): boolean {
    return Object.entries(attributes).every(([name, value]) => this.own[name] === value);
  }
}

const MAX_USER_DATA_BYTES = 2_048;

/** What attributes a device may have, and what is wrong with a value in SNS's words. */
const RULES: Readonly<Record<string, (value: string) => string | undefined>> = {
  CustomUserData: value =>
    Buffer.byteLength(value) > MAX_USER_DATA_BYTES
      ? 'Invalid value for attribute: CustomUserData: must be at most 2048 bytes long in UTF-8 encoding'
      : undefined,
  Enabled: value => (value === 'true' || value === 'false' ? undefined : 'Invalid value for attribute: Enabled'),
  Token: value => (value === '' ? 'Invalid value for attribute: Token' : undefined),
};

/** @throws AwsError at the first attribute a device cannot have */
export function checkEndpointAttributes(attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const rule = RULES[name];
    const problem = rule ? rule(value) : `Invalid attribute name: ${name}`;
    if (problem !== undefined) throw invalidParameter(`Attributes Reason: ${problem}`);
  }
}

/** An app on a device, at a push service. */
export class PlatformEndpoint implements Resource {
  attributes: Readonly<Record<string, string>>;

  constructor(
    readonly arn: string,
    readonly application: PlatformApplication,
    attributes: Readonly<Record<string, string>>,
  ) {
    this.attributes = { Enabled: 'true', ...attributes };
  }

  get token(): string {
    return this.attributes['Token'] ?? '';
  }

  get isEnabled(): boolean {
    return this.attributes['Enabled'] === 'true';
  }

  /** @throws AwsError, and nothing is set, when it cannot have one of them */
  set(attributes: Readonly<Record<string, string>>): void {
    checkEndpointAttributes(attributes);
    this.attributes = { ...this.attributes, ...attributes };
  }

  /** The push service says that the device is gone: nothing is sent to it any more until somebody enables it. */
  disable(): void {
    this.attributes = { ...this.attributes, Enabled: 'false' };
  }
}

/** What the ARN of a device, or of an app, says. */
export interface PlatformNames {
  /** For example `GCM`. */
  readonly platform: string;
  readonly application: string;
}

/** Reads `app/GCM/Rental` or `endpoint/GCM/Rental/1b2c…` at the end of an ARN; undefined when it is neither. */
export function platformNames(arn: string): PlatformNames | undefined {
  const [kind, platform, application] = parseArn(arn)?.resource.split('/') ?? [];
  if ((kind !== 'app' && kind !== 'endpoint') || platform === undefined || application === undefined) return undefined;
  return { platform, application };
}

/** Whether an ARN is that of a device. */
export function isEndpointArn(arn: string): boolean {
  return parseArn(arn)?.resource.startsWith('endpoint/') ?? false;
}
