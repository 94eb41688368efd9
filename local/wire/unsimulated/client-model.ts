import { createRequire } from 'node:module';
import type { StaticOperationSchema } from '@smithy/types';
import { installedFile } from '../../kernel/installed-package';
import { ANY, ServiceModel } from '../service-model';
import { type ServiceNames, SPEAKS_REST_XML } from './service-names';

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
 * A model of one operation whose input and output are JSON documents as they are on the wire. AWS JSON needs no more:
 * a header names the operation.
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
