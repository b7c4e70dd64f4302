/** Where the texts' own code imports the package from. */
export * from "@osd/context-provider";
