import { AwsError } from '../kernel/aws-error';

export const badRequest = (message: string): AwsError => new AwsError('BadRequestException', message);

export const notFound = (message: string): AwsError => new AwsError('NotFoundException', message, 404);
