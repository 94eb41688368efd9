import { AwsError } from '../../kernel/aws-error';
import { AWS_SERVICES } from '../../kernel/aws-service';
import { installedFile } from '../../kernel/installed-package';
import { InvalidInput } from '../../kernel/member-reader';
import type { Host, Reply } from '../../network/network';
import { isObserved } from '../observer';
import { refusalTo } from '../refusal';
import { packageOf } from './client-model';
import { isKnownService, similarServices } from './known-services';
import { OtherService, type OtherServiceDependencies } from './other-service';
import { serviceNames } from './service-names';

const NAME = /^[a-z0-9][a-z0-9.-]*$/;

/** Simulated services, of which a scenario may answer operations in place of the simulation, or forward all calls. */
const REPLACEABLE: ReadonlySet<string> = new Set(['dynamodb']);

/** The services that a scenario answers, or forwards to emulators, by their names in hosts. */
export class OtherServices {
  private readonly byHost = new Map<string, OtherService>();

  constructor(private readonly dependencies: OtherServiceDependencies) {}

  /** Every service that a scenario has named, in that order. */
  get all(): ReadonlyMap<string, OtherService> {
    return this.byHost;
  }

  find(host: string): OtherService | undefined {
    return this.byHost.get(serviceNames(host).host);
  }

  /** The endpoint of a simulated service, whose calls reach the simulation unless a scenario answers or forwards them. */
  inFrontOf(service: string, region: string, simulated: Host): Host {
    if (!REPLACEABLE.has(service)) return simulated;
    return request => {
      if (!this.byHost.has(service) || isObserved(request.headers)) return simulated(request);
      const refused = (error: unknown): Reply => {
        if (!(error instanceof AwsError)) throw error;
        return refusalTo(request, error, this.dependencies.random.uuid(), service);
      };
      try {
        const reply = this.find(service)?.replyTo({ request, region }) ?? simulated(request);
        return reply instanceof Promise ? reply.catch(refused) : reply;
      } catch (error) {
        return refused(error);
      }
    };
  }

  /**
   * @param name of the SDK's client or in host names: `sfn` or `states`
   * @throws RangeError for an invalid name, and for a service that is simulated and cannot be replaced
   */
  service(name: unknown): OtherService {
    const property = 'the service';
    if (typeof name !== 'string' || !NAME.test(name.toLowerCase())) {
      const rule = 'must be a name such as dynamodb, as in @aws-sdk/client-dynamodb';
      throw new InvalidInput([{ property, rule, value: name }]);
    }
    const names = serviceNames(name.toLowerCase());
    if (isSimulated(names.host) && !REPLACEABLE.has(names.host)) {
      const simulated = AWS_SERVICES.filter(service => !REPLACEABLE.has(service));
      const rule = `must be a service that is not simulated. These are: ${simulated.join(', ')}. Use faults to make them fail`;
      throw new InvalidInput([{ property, rule, value: name }]);
    }
    const known = this.byHost.get(names.host);
    if (known) return known;
    if (![names.host, names.client].some(isKnownService) && installedFile(packageOf(names)) === undefined) {
      const similar = similarServices(names.host);
      const hint = similar.length > 0 ? `. Similar: ${similar.join(', ')}` : '';
      const rule = `must be a service of AWS, as in @aws-sdk/client-dynamodb${hint}. For a newer one, install its SDK client`;
      throw new InvalidInput([{ property, rule, value: name }]);
    }
    const service = new OtherService(names, this.dependencies);
    this.byHost.set(names.host, service);
    return service;
  }
}

/** @param name in host names, or of the SDK's client */
export const isSimulated = (name: string): boolean => SIMULATED.has(name);

/** Both names of each service. */
const SIMULATED: ReadonlySet<string> = new Set([
  ...AWS_SERVICES,
  'cloudwatch',
  'cloudwatch-logs',
  'eventbridge',
  'secrets-manager',
]);
