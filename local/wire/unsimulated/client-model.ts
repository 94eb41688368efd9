import { createRequire } from 'node:module';
import type { StaticOperationSchema } from '@smithy/types';
import { ownMember } from '../../../policy/json-members';
import { installedFile } from '../../kernel/installed-package';
import { ANY, ServiceModel } from '../service-model';

/** The number of a schema for any JSON document. */
const DOCUMENT = 15;
const OPERATION = 9;

export const packageOf = ({ client }: ServiceNames): string => `@aws-sdk/client-${client}`;

const models = new Map<string, ServiceModel>();

/**
 * Reads a service's operations from the SDK client that the user has installed.
 *
 * @returns undefined when it is not installed
 */
export function installedModel(names: ServiceNames): ServiceModel | undefined {
  const name = packageOf(names);
  const known = models.get(name);
  if (known) return known;
  const file = installedFile(name);
  if (file === undefined) return undefined;
  const identity = {
    name: names.host,
    targetPrefix: ANY,
    unsignedActions: ANY,
    missingMemberCode: 'ValidationException',
    restXml: SPEAKS_REST_XML.includes(names.client),
  } as const;
  const model = new ServiceModel(identity, () => createRequire(file)(file));
  if (model.operations.size === 0) {
    throw new Error(
      `the installed ${name} is too old, because it exports no schemas: npm install --save-dev ${name}@latest`,
    );
  }
  models.set(name, model);
  return model;
}

/**
 * A model of one operation whose input and output are JSON documents as they are on the wire. The protocol AWS JSON needs
 * nothing else, because a header names the operation.
 *
 * @param target the value of `X-Amz-Target`, for example `DynamoDB_20120810.GetItem`
 */
export function documentModel({ host }: ServiceNames, target: string): ServiceModel {
  const operation: StaticOperationSchema = [OPERATION, host, actionOfTarget(target), 0, DOCUMENT, DOCUMENT];
  return new ServiceModel({ name: host, targetPrefix: ANY, unsignedActions: ANY }, () => ({ operation }));
}

function actionOfTarget(target: string): string {
  return target.slice(target.indexOf('.') + 1);
}

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
const SPEAKS_REST_XML: readonly string[] = ['s3', 's3-control', 'cloudfront', 'route-53'];
