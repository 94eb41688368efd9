import type { Resource } from '../../kernel/doorkeeper';
import { invalidParameter } from '../errors';
import type { PlatformApplication } from './platform-application';

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
