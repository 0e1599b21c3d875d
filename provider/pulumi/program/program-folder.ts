/** The program's folder, unless the program has gone elsewhere before it loaded this package. */
export const PROGRAM_FOLDER = process.cwd();
