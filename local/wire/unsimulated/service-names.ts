import { ownMember } from '../../../policy/json-members';

/** Names of SDK clients (`@aws-sdk/client-sfn`) by the service's name in hosts and signatures, where they differ. */
const CLIENTS: Readonly<Record<string, string>> = {
  'application-autoscaling': 'application-auto-scaling',
  apigateway: 'api-gateway',
  autoscaling: 'auto-scaling',
  ce: 'cost-explorer',
  'cognito-idp': 'cognito-identity-provider',
  config: 'config-service',
  dms: 'database-migration-service',
  elasticfilesystem: 'efs',
  elasticloadbalancing: 'elastic-load-balancing-v2',
  email: 'sesv2',
  es: 'opensearch',
  geo: 'location',
  route53: 'route-53',
  'sms-voice': 'pinpoint-sms-voice-v2',
  states: 'sfn',
};

/** Services whose clients share one host. */
const SAME_HOST: Readonly<Record<string, string>> = { ses: 'email' };

const hosts = new Map(Object.entries(CLIENTS).map(([host, client]) => [client, host]));

export interface ServiceNames {
  /** In host names and signatures, for example `states`. */
  readonly host: string;
  /** Of the SDK's client, for example `sfn`. */
  readonly client: string;
}

/** @param name either name of a service */
export function serviceNames(name: string): ServiceNames {
  const host = ownMember(SAME_HOST, name) ?? hosts.get(name) ?? name;
  return { host, client: name === host ? (ownMember(CLIENTS, host) ?? host) : name };
}

/** REST services that speak XML. All others speak JSON. */
export const SPEAKS_REST_XML: readonly string[] = ['s3', 's3-control', 'cloudfront', 'route-53'];
