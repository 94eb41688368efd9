import type { CreateFunctionRequest, FunctionCode, FunctionConfiguration } from '@aws-sdk/client-lambda';
import { checkTags, tagList } from '../../kernel/resource-tags';
import { unpack } from '../code/archive';
import { lambdaConstraints } from '../constraints';
import { invalidParameter, refuse } from '../errors';
import { LATEST } from '../function/function-configuration';
import { functionArn } from '../function/function-name';
import { LAMBDA_TAGS } from '../tag-rules';
import { describeFunction, describeVersion } from './describe-function';
import { checkFunction, requestedConfiguration } from './function-request';
import { onAnything } from './lambda-action';

const CREATE_ACTION = 'CreateFunction';

const NAME = '[a-zA-Z0-9-_]{1,64}';

/**
 * Creates a function from the archive in the request. It is `Active` at once; on AWS it is `Pending` for a moment.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html
 */
export const createFunction = onAnything<CreateFunctionRequest, FunctionConfiguration>(
  CREATE_ACTION,
  (internals, request) => {
    const { FunctionName: functionName = '', Role = '', Runtime, Handler, Code = {}, PackageType, Tags } = request;
    lambdaConstraints().pattern('functionName', functionName, NAME).check();
    if (PackageType === 'Image' || Code.ImageUri) throw refuse(CREATE_ACTION, 'the package type Image');
    if (!Runtime || !Handler) {
      throw invalidParameter(
        'Runtime and Handler are mandatory parameters for functions created with deployment packages.',
      );
    }
    const logging = {
      logGroup: `/aws/lambda/${functionName}`,
      logFormat: 'Text',
      applicationLogLevel: 'INFO',
      systemLogLevel: 'INFO',
    } as const;
    const said = requestedConfiguration(CREATE_ACTION, request, logging);
    const wanted = {
      functionName,
      functionArn: functionArn(internals.context.place, functionName),
      description: '',
      runtime: Runtime,
      handler: Handler,
      roleArn: Role,
      timeoutSeconds: 3,
      memorySizeMb: 128,
      variables: {},
      logging,
      ...said,
    };
    checkFunction(CREATE_ACTION, { ...wanted, version: LATEST, folder: '' }, { roleArn: Role }, internals);
    internals.functions.checkFree(functionName);
    checkTags(tagList(Tags ?? {}), LAMBDA_TAGS);
    const files = filesOf(Code);
    const deployed = internals.createFunction({
      ...wanted,
      folder: internals.codeFolder(files),
      recursiveLoop: 'Terminate',
      tags: Tags,
    });
    if (request.Publish) return describeVersion(deployed.versions.publish());
    return describeFunction(deployed.versions.latest, deployed.arn);
  },
);

function filesOf({ ZipFile, S3Bucket }: FunctionCode): Readonly<Record<string, Uint8Array>> {
  if (S3Bucket !== undefined) throw refuse(CREATE_ACTION, 'code in S3');
  if (!ZipFile) throw invalidParameter('Please provide a source for function code.');
  const unpacked = unpack(ZipFile);
  if (unpacked.kind === 'files') return unpacked.files;
  throw invalidParameter('Could not unzip uploaded file. Please check your file, then try to upload again.');
}
