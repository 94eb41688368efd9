import { parseArn } from '../../../policy/arn';
import { ownMember } from '../../../policy/json-members';
import { notImplemented } from '../../kernel/aws-error';
import type { Resource } from '../../kernel/service-api';
import { invalidParameter } from '../errors';

/** The push services that SNS supports. */
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

/** The push services whose credentials are one key, without a principal. */
const WITHOUT_PRINCIPAL: readonly string[] = ['GCM', 'FCM'];

/** The attributes that SNS returns. It never returns credentials. */
const SHOWN: readonly string[] = [
  'ApplePlatformBundleID',
  'ApplePlatformTeamID',
  'Enabled',
  'FailureFeedbackRoleArn',
  'SuccessFeedbackRoleArn',
  'SuccessFeedbackSampleRate',
];

const CREDENTIALS: readonly string[] = ['PlatformCredential', 'PlatformPrincipal'];

/** The attributes that name the topic for an event of a device. */
const EVENTS = /^Event(EndpointCreated|EndpointDeleted|EndpointUpdated|DeliveryFailure)$/;

const NAME = /^[A-Za-z0-9_.-]+$/;
const MAX_NAME_LENGTH = 256;

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

/** A platform application: the account's registration at a push service, with which SNS sends to devices. */
export class PlatformApplication implements Resource {
  private own: Readonly<Record<string, string>>;

  /** @throws AwsError at the first invalid attribute */
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
    return ownMember(this.own, name);
  }

  get attributes(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.own).filter(([name]) => SHOWN.includes(name)));
  }

  /** @throws AwsError at the first invalid attribute, before anything is set */
  set(attributes: Readonly<Record<string, string>>): void {
    checkAttributes(attributes);
    this.own = { ...this.own, ...attributes };
  }

  /** Whether it has all these attributes, credentials included. */
  has(attributes: Readonly<Record<string, string>>): boolean {
    return Object.entries(attributes).every(([name, value]) => this.own[name] === value);
  }
}

const MAX_USER_DATA_BYTES = 2_048;

/** The attributes of a device. Each function returns the error text of SNS for an invalid value. */
const RULES: Readonly<Record<string, (value: string) => string | undefined>> = {
  CustomUserData: value =>
    Buffer.byteLength(value) > MAX_USER_DATA_BYTES
      ? 'Invalid value for attribute: CustomUserData: must be at most 2048 bytes long in UTF-8 encoding'
      : undefined,
  Enabled: value => (value === 'true' || value === 'false' ? undefined : 'Invalid value for attribute: Enabled'),
  Token: value => (value === '' ? 'Invalid value for attribute: Token' : undefined),
};

export function checkEndpointAttributes(attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const rule = ownMember(RULES, name);
    const problem = rule ? rule(value) : `Invalid attribute name: ${name}`;
    if (problem !== undefined) throw invalidParameter(`Attributes Reason: ${problem}`);
  }
}

/** A platform endpoint: one application on one device. */
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

  /** @throws AwsError at the first invalid attribute, before anything is set */
  set(attributes: Readonly<Record<string, string>>): void {
    checkEndpointAttributes(attributes);
    this.attributes = { ...this.attributes, ...attributes };
  }

  /** Disables a device that the push service no longer knows. SNS sends nothing to it until it is enabled again. */
  disable(): void {
    this.attributes = { ...this.attributes, Enabled: 'false' };
  }
}

interface PlatformNames {
  /** For example `GCM`. */
  readonly platform: string;
  readonly application: string;
}

/** Reads `app/GCM/Rental` or `endpoint/GCM/Rental/1b2c…` at the end of an ARN, or returns undefined. */
export function platformNames(arn: string): PlatformNames | undefined {
  const [kind, platform, application] = parseArn(arn)?.resource.split('/') ?? [];
  if ((kind !== 'app' && kind !== 'endpoint') || platform === undefined || application === undefined) return undefined;
  return { platform, application };
}

export function isEndpointArn(arn: string): boolean {
  return parseArn(arn)?.resource.startsWith('endpoint/') ?? false;
}
