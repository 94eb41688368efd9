import { GONE_DEVICE_CODES } from '../../../policy/outcome/classify';
import type { Outcome } from '../../../policy/outcome/outcome';
import { formatValue } from '../../../policy/problem';
import { AwsError } from '../../kernel/aws-error';
import { arnIn, type Place } from '../../kernel/place';
import type { Random } from '../../kernel/random';
import { invalidParameter } from '../errors';
import {
  checkApplication,
  checkCredentials,
  checkEndpointAttributes,
  isEndpointArn,
  PlatformApplication,
  PlatformEndpoint,
  platformNames,
} from './platform-applications';

function notFound(what: 'Endpoint' | 'PlatformApplication'): AwsError {
  return new AwsError('NotFound', `${what} does not exist`, 404);
}

/** The error with which SNS refuses to send to a device. */
type PushRefusal = Readonly<Pick<AwsError, 'code' | 'message'>>;

/** The platform applications and devices of an account. */
export class Platforms {
  private readonly applicationsByArn = new Map<string, PlatformApplication>();
  private readonly endpointsByArn = new Map<string, PlatformEndpoint>();

  constructor(
    private readonly place: Place,
    private readonly random: Random,
  ) {}

  /** In the order in which they were created. */
  get applications(): readonly PlatformApplication[] {
    return [...this.applicationsByArn.values()];
  }

  /** In the order in which they were created. */
  endpointsOf(application: PlatformApplication): readonly PlatformEndpoint[] {
    return [...this.endpointsByArn.values()].filter(endpoint => endpoint.application === application);
  }

  findApplication(arn: string | undefined): PlatformApplication | undefined {
    return arn === undefined ? undefined : this.applicationsByArn.get(arn);
  }

  findEndpoint(arn: string | undefined): PlatformEndpoint | undefined {
    return arn === undefined ? undefined : this.endpointsByArn.get(arn);
  }

  application(arn: string | undefined): PlatformApplication {
    const application = this.findApplication(arn);
    if (!application) throw notFound('PlatformApplication');
    return application;
  }

  endpoint(arn: string | undefined): PlatformEndpoint {
    const endpoint = this.findEndpoint(arn);
    if (!endpoint) throw notFound('Endpoint');
    return endpoint;
  }

  /**
   * @throws AwsError also when an application of this name exists with other attributes. **Assumption SNS-44:** AWS
   * does not publish this text.
   */
  createApplication(name: string, platform: string, attributes: Readonly<Record<string, string>>): PlatformApplication {
    checkApplication(name, platform);
    checkCredentials(platform, attributes);
    const application = new PlatformApplication(this.applicationArn(platform, name), platform, name, attributes);
    const existing = this.applicationsByArn.get(application.arn);
    if (existing && !existing.has(attributes)) {
      throw invalidParameter('Attributes Reason: Platform application already exists with different attributes');
    }
    if (!existing) this.applicationsByArn.set(application.arn, application);
    return existing ?? application;
  }

  deleteApplication(arn: string): void {
    const application = this.applicationsByArn.get(arn);
    if (!application) return;
    for (const endpoint of this.endpointsOf(application)) this.endpointsByArn.delete(endpoint.arn);
    this.applicationsByArn.delete(arn);
  }

  /** Registers a device, or returns the device that is registered with the same token. */
  createEndpoint(application: PlatformApplication, attributes: Readonly<Record<string, string>>): PlatformEndpoint {
    checkEndpointAttributes(attributes);
    const { platform, name } = application;
    const Token = attributes['Token'] ?? '';
    const existing = this.endpointsOf(application).find(({ token }) => token === Token);
    if (!existing) {
      const arn = arnIn(this.place, 'sns', `endpoint/${platform}/${name}/${this.random.uuid()}`);
      const endpoint = new PlatformEndpoint(arn, application, attributes);
      this.endpointsByArn.set(arn, endpoint);
      return endpoint;
    }
    const wanted = Object.entries({ Enabled: 'true', CustomUserData: '', ...attributes });
    if (wanted.some(([attribute, value]) => (existing.attributes[attribute] ?? '') !== value)) {
      throw invalidParameter(
        `Token Reason: Endpoint ${existing.arn} already exists with the same Token, but different attributes.`,
      );
    }
    return existing;
  }

  /** Registers a device by its ARN, and the platform application in the ARN. */
  register(arn: string): void {
    const names = isEndpointArn(arn) ? platformNames(arn) : undefined;
    if (!names) {
      const example = arnIn(this.place, 'sns', 'endpoint/GCM/Rental/5e3e9847');
      throw new RangeError(`devices must be ARNs of platform endpoints, such as ${example}: got ${formatValue(arn)}`);
    }
    const credentials = { PlatformCredential: 'credential', PlatformPrincipal: 'principal' };
    const application = this.createApplication(names.application, names.platform, credentials);
    const Token = arn.slice(arn.lastIndexOf('/') + 1);
    this.endpointsByArn.set(arn, new PlatformEndpoint(arn, application, { Token }));
  }

  deleteEndpoint(arn: string): void {
    this.endpointsByArn.delete(arn);
  }

  /**
   * Returns why SNS does not send to a device, or undefined if it does. **Assumption SNS-51:** messages for a
   * subscribed device that was deleted since still reach it.
   */
  refusalOf(endpointArn: string): PushRefusal | undefined {
    const endpoint = this.endpointsByArn.get(endpointArn);
    if (!endpoint) return undefined;
    if (!endpoint.application.isEnabled) {
      return { code: 'PlatformApplicationDisabled', message: 'Platform application is disabled' };
    }
    return endpoint.isEnabled ? undefined : { code: 'EndpointDisabled', message: 'Endpoint is disabled' };
  }

  /** SNS disables a device when the push service answers that it no longer knows the device. */
  learn(endpointArn: string, outcome: Outcome): void {
    const code = outcome.kind === 'answered' ? outcome.errorCode : undefined;
    if (code !== undefined && GONE_DEVICE_CODES.includes(code)) this.endpointsByArn.get(endpointArn)?.disable();
  }

  applicationArn(platform: string, name: string): string {
    return arnIn(this.place, 'sns', `app/${platform}/${name}`);
  }
}
