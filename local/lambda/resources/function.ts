import { readFileSync, statSync } from 'node:fs';
import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../../../policy/aws-limits';
import { type PropertyReader, tagsProperty } from '../../cloudformation/property-reader';
import type { CreateContext, ResourceType } from '../../cloudformation/resource-type';
import { tagRecord } from '../../kernel/tags';
import { LOG_LEVELS } from '../environment/protocol';
import { unpack } from '../function/code';
import {
  ARCHITECTURES,
  functionArn,
  LEAST_STORAGE_MB,
  type LoggingConfiguration,
  MOST_STORAGE_MB,
  type NewFunction,
  SYSTEM_LOG_LEVELS,
  TRACING_MODES,
} from '../function/function-configuration';
import {
  deadLetterProblem,
  environmentProblem,
  isKnownTimeZone,
  networkProblem,
  variableNamesProblem,
} from '../function/function-rules';
import { isSimulatedRuntime } from '../function/handlers';
import type { Lambda } from '../lambda';
import { oneOf, refused, wholeNumber } from './read';

export function functionResourceType(lambda: Lambda): ResourceType {
  const read = (properties: PropertyReader, context: CreateContext): NewFunction => {
    const configuration = readConfiguration(properties, context, lambda);
    checkRole(properties, configuration, lambda);
    checkDeadLetterTarget(properties, configuration, lambda);
    checkNetwork(properties, configuration, lambda);
    checkConcurrency(properties, configuration, lambda);
    return configuration;
  };
  return {
    type: 'AWS::Lambda::Function',
    create: (properties, context) => {
      const configuration = read(properties, context);
      properties.attempt('FunctionName', () => lambda.createFunction(configuration));
      return { ref: configuration.functionName, attributes: { Arn: configuration.functionArn } };
    },
    update: (properties, context, { ref, attributes }) => {
      const deployed = lambda.functionNamed(ref);
      const { recursiveLoop, reservedConcurrentExecutions, tags, ...configuration } = read(properties, context);
      if (properties.allProblems().length === 0) {
        deployed.redefine({ ...OPTIONAL, ...configuration }, recursiveLoop, reservedConcurrentExecutions, tags);
      }
      return { ref, attributes };
    },
    delete: ({ ref: FunctionName }) => lambda.call('DeleteFunction', lambda.owner, { FunctionName }),
  };
}

/** An update removes these settings if the template does not have them. */
const OPTIONAL = {
  deadLetterTargetArn: undefined,
  architectures: undefined,
  ephemeralStorageMb: undefined,
  tracingMode: undefined,
};

function readConfiguration(properties: PropertyReader, context: CreateContext, lambda: Lambda): NewFunction {
  const functionName = properties.string('FunctionName') ?? context.physicalName(64);
  const { place } = lambda.context;
  const environment = properties.object('Environment');
  return {
    functionName,
    functionArn: functionArn(place, functionName),
    description: properties.string('Description') ?? '',
    roleArn: properties.requiredString('Role'),
    ...readCode(properties, context, lambda),
    timeoutSeconds: wholeNumber(properties, 'Timeout', { least: 1, most: MAX_FUNCTION_TIMEOUT_SECONDS, otherwise: 3 }),
    memorySizeMb: wholeNumber(properties, 'MemorySize', { least: 128, most: 10_240, otherwise: 128 }),
    variables: readVariables(properties, environment),
    hasEnvironment: environment !== undefined,
    ...readDescribed(properties),
    logging: readLogging(properties, functionName),
    deadLetterTargetArn: properties.object('DeadLetterConfig')?.string('TargetArn'),
    recursiveLoop: oneOf(properties, 'RecursiveLoop', ['Allow', 'Terminate'], 'Terminate'),
    reservedConcurrentExecutions: wholeNumber(properties, 'ReservedConcurrentExecutions', {
      least: 0,
      most: 1000,
      otherwise: undefined,
    }),
    tags: tagRecord(tagsProperty(properties, '')),
  };
}

/**
 * Lambda does not create a function whose role it cannot assume.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html
 */
function checkRole(properties: PropertyReader, { roleArn }: NewFunction, lambda: Lambda): void {
  if (roleArn === '') return;
  const { allowed, reason } = lambda.dependencies.roles.decideAssumeRole('lambda.amazonaws.com', roleArn);
  if (allowed) return;
  const text = 'The role defined for the function cannot be assumed by Lambda.';
  properties.problem('Role', `is refused (InvalidParameterValueException: ${text} ${reason})`, roleArn);
}

/** Lambda does not create a function with an invalid dead-letter target, or whose role may not send to the target. */
function checkDeadLetterTarget(
  properties: PropertyReader,
  { deadLetterTargetArn, roleArn }: NewFunction,
  lambda: Lambda,
): void {
  const problem = deadLetterProblem(deadLetterTargetArn, roleArn, lambda.context);
  if (problem) refused(properties, 'DeadLetterConfig.TargetArn', problem, deadLetterTargetArn);
}

/**
 * A VPC has no effect on the reach of a function: routes and security groups are not simulated. Lambda's checks of the
 * configuration and the role are.
 *
 * @see
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-lambda-function-vpcconfig.html
 */
function checkNetwork(properties: PropertyReader, { roleArn }: NewFunction, { context }: Lambda): void {
  const given = properties.object('VpcConfig');
  if (!given) return;
  given.withoutEffect('Ipv6AllowedForDualStack');
  const [subnetIds, securityGroupIds] = [given.strings('SubnetIds'), given.strings('SecurityGroupIds')];
  const problem = networkProblem({ subnetIds, securityGroupIds }, roleArn, context);
  if (problem) refused(properties, 'VpcConfig', problem);
}

function checkConcurrency(
  properties: PropertyReader,
  { functionName, reservedConcurrentExecutions: reserved }: NewFunction,
  lambda: Lambda,
): void {
  if (reserved === undefined) return;
  properties.attempt('ReservedConcurrentExecutions', () => lambda.checkReservable(functionName, reserved));
}

type Code = Pick<NewFunction, 'runtime' | 'handler' | 'folder'>;

/**
 * Code of other runtimes, container images and layers do not run. Such a function is deployed where stand-ins are allowed, and its
 * invocations fail unless a test handles them. Of its assets, nothing is read.
 */
function readCode(properties: PropertyReader, context: CreateContext, lambda: Lambda): Code {
  if (properties.string('PackageType') === 'Image') {
    properties.withoutEffect('Code', 'ImageConfig');
    properties.notSimulated('PackageType', 'must be Zip: the embedded AWS runs no container images', 'Image');
    return { runtime: '', handler: '', folder: '' };
  }
  const runtime = properties.requiredString('Runtime');
  const handler = properties.requiredString('Handler');
  if (runtime === '' || isSimulatedRuntime(runtime)) {
    return { runtime, handler, folder: readFolder(properties, handler, context, lambda) };
  }
  properties.withoutEffect('Code');
  properties.notSimulated('Runtime', 'must be a Node.js runtime: the embedded AWS runs no others', runtime);
  return { runtime, handler, folder: '' };
}

/**
 * Returns the folder of the code: an asset of the assembly, or a temporary folder for an archive or for inline code.
 */
function readFolder(properties: PropertyReader, handler: string, context: CreateContext, lambda: Lambda): string {
  const code = properties.object('Code');
  const inline = code?.string('ZipFile');
  code?.withoutEffect('S3Bucket', 'S3ObjectVersion');
  const key = code?.string('S3Key');
  if (inline !== undefined) return lambda.codeFolder(inlineFiles(inline));
  if (key === undefined) return properties.problem('Code', 'must have an S3Key or a ZipFile') ?? '';
  const asset = context.assetPath(key);
  if (asset === undefined) {
    code?.notSimulated('S3Key', 'must name an asset of this cloud assembly', key);
    return lambda.codeFolder(missingCode(handler, key));
  }
  if (statSync(asset).isDirectory()) return asset;
  const unpacked = unpack(readFileSync(asset));
  if (unpacked.kind === 'files') return lambda.codeFolder(unpacked.files);
  return code?.problem('S3Key', unpacked.rule, asset) ?? '';
}

/** Code in place of an asset that is not on this machine. */
function missingCode(handler: string, key: string): Readonly<Record<string, string>> {
  const text = `The code is not in the cloud assembly: ${key}. A test can run in its place: aws.function(…).handle(async event => …)`;
  return { [`${handler.replace(/\.[^./]*$/, '')}.js`]: `throw new Error(${JSON.stringify(text)});` };
}

/** Properties that do not change what a function does. */
function readDescribed(
  properties: PropertyReader,
): Pick<NewFunction, 'architectures' | 'ephemeralStorageMb' | 'tracingMode'> {
  const architectures = properties.strings('Architectures') ?? [];
  const known = ARCHITECTURES.filter(architecture => architectures.includes(architecture));
  if (known.length < architectures.length) {
    properties.problem('Architectures', `may hold ${ARCHITECTURES.join(' or ')} only`, architectures);
  }
  const storage = properties.object('EphemeralStorage');
  const size = { least: LEAST_STORAGE_MB, most: MOST_STORAGE_MB, otherwise: LEAST_STORAGE_MB };
  const tracing = properties.object('TracingConfig');
  return {
    ...(known.length > 0 && { architectures: known }),
    ...(storage && { ephemeralStorageMb: wholeNumber(storage, 'Size', size) }),
    ...(tracing && { tracingMode: oneOf(tracing, 'Mode', TRACING_MODES, 'PassThrough') }),
  };
}

function readVariables(
  properties: PropertyReader,
  environment: PropertyReader | undefined,
): Readonly<Record<string, string>> {
  const given = environment?.document('Variables') ?? {};
  if (!isKnownTimeZone(String(given['TZ'] ?? 'UTC'))) {
    properties.problem(
      'Environment.Variables.TZ',
      'must be UTC: the embedded AWS supports no other time zone',
      given['TZ'],
    );
  }
  const entries = Object.entries(given).map(([name, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      properties.problem(`Environment.Variables.${name}`, 'must be a string', value);
    }
    return [name, String(value)];
  });
  const variables: Readonly<Record<string, string>> = Object.fromEntries(entries);
  const names = Object.keys(variables);
  const rule = variableNamesProblem(names);
  if (rule) properties.problem('Environment.Variables', `must have valid names: ${rule}`, names);
  const problem = environmentProblem(variables);
  if (problem) refused(properties, 'Environment.Variables', problem);
  return variables;
}

function readLogging(properties: PropertyReader, functionName: string): LoggingConfiguration {
  const given = properties.object('LoggingConfig');
  const logGroup = `/aws/lambda/${functionName}`;
  if (!given) return { logGroup, logFormat: 'Text', applicationLogLevel: 'INFO', systemLogLevel: 'INFO' };
  return {
    logGroup: given.string('LogGroup') ?? logGroup,
    logFormat: oneOf(given, 'LogFormat', ['Text', 'JSON'], 'Text'),
    applicationLogLevel: oneOf(given, 'ApplicationLogLevel', LOG_LEVELS, 'INFO'),
    systemLogLevel: oneOf(given, 'SystemLogLevel', SYSTEM_LOG_LEVELS, 'INFO'),
  };
}

/**
 * The module `cfn-response`, which Lambda adds to inline code that asks for it.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-lambda-function-code-cfnresponsemodule.html
 */
const CFN_RESPONSE = `
const https = require('node:https');
exports.SUCCESS = 'SUCCESS';
exports.FAILED = 'FAILED';
exports.send = (event, context, status, data, physicalResourceId, noEcho) => {
  const { StackId, RequestId, LogicalResourceId, ResponseURL } = event;
  const body = JSON.stringify({
    Status: status,
    Reason: 'See the details in CloudWatch Log Stream: ' + context.logStreamName,
    PhysicalResourceId: physicalResourceId || context.logStreamName,
    StackId,
    RequestId,
    LogicalResourceId,
    NoEcho: noEcho || false,
    Data: data,
  });
  console.log('Response body:\\n', body);
  const headers = { 'content-type': '', 'content-length': Buffer.byteLength(body) };
  return new Promise(resolve => {
    const end = () => resolve(context.done());
    const request = https.request(new URL(ResponseURL), { method: 'PUT', headers }, response => {
      console.log('Status code: ' + response.statusCode);
      end();
    });
    request.on('error', error => {
      console.log('send(..) failed executing https.request(..): ' + error);
      end();
    });
    request.end(body);
  });
};
`;

function inlineFiles(code: string): Readonly<Record<string, string>> {
  const asksForModule = /require\(\s*['"`]cfn-response['"`]\s*\)/.test(code);
  return { 'index.js': code, ...(asksForModule && { 'node_modules/cfn-response.js': CFN_RESPONSE }) };
}
