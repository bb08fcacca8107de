/** Tools of servers that people use, with the first sentence of what each says of itself (npm, November 2026). */
import type { OfferedTool } from '../tools/serverOffers.ts';

const lines = `
brave/brave_llm_context Retrieves pre-extracted, relevance-ranked web content using Brave's LLM Context API, optimized for AI agents, LLM grounding, and RAG pipeli…
brave/brave_place_search Searches Brave's Place Search API.
brave/brave_video_search Searches for videos using Brave's Video Search API and returns structured video results with metadata.
brave/brave_image_search Performs an image search using the Brave Search API.
brave/brave_web_search Performs web searches using the Brave Search API and returns comprehensive search results with rich metadata.
brave/brave_news_search This tool searches for news articles using Brave's News Search API based on the user's query.
brave/brave_summarizer Retrieves AI-generated summaries of web search results using Brave's Summarizer API.
brave/brave_local_search Brave Local Search API provides enrichments for location search results.
chrome/take_heapsnapshot Capture a heap snapshot of the target page.
chrome/get_heapsnapshot_summary Loads and caches a memory heapsnapshot and returns snapshot summary stats, including native contexts and their sizes, and retained by conte…
chrome/get_heapsnapshot_details Loads and caches a memory heapsnapshot and returns all available information including statistics, static data, and aggregated node informa…
chrome/get_heapsnapshot_class_nodes Loads and caches a memory heapsnapshot and returns instances of a specific class with their IDs.
chrome/get_heapsnapshot_retainers Loads and caches a memory heapsnapshot and returns retainers for a specific node ID.
chrome/close_heapsnapshot Closes a previously loaded and cached memory heapsnapshot, freeing its memory.
chrome/get_heapsnapshot_retaining_paths Loads and caches a memory heapsnapshot and returns retaining paths for a specific node ID.
chrome/get_heapsnapshot_edges Loads and caches a memory heapsnapshot and returns outgoing edges (references) for a specific node ID.
chrome/get_heapsnapshot_dominators Loads and caches a memory heapsnapshot and returns the dominator chain for a specific node ID.
chrome/compare_heapsnapshots Loads and caches two memory heapsnapshots and returns the comparison.
chrome/get_heapsnapshot_duplicate_strings Loads and caches a memory heapsnapshot and returns duplicate strings grouped by their value.
chrome/get_heapsnapshot_object_details Loads and caches a memory heapsnapshot and returns detailed information about a specific object by its node ID, including size, type, dista…
chrome/query_heapsnapshot_objects Loads and caches a memory heapsnapshot and queries objects matching specific filters (className, propertyName, nodeType, retainedSize, self…
chrome/analyze_heapsnapshot_contexts Loads and caches a memory heapsnapshot to identify and rank closure contexts holding dead captured fields—variables no remaining live closu…
chrome/install_pwa Installs a Progressive Web App (PWA) identified by its manifest ID.
chrome/uninstall_pwa Uninstalls a Progressive Web App identified by its manifest ID and
chrome/launch_pwa Launches an installed Progressive Web App using its saved display mode.
chrome/get_os_app_state Returns the OS integration state (badge count and registered file
chrome/lighthouse_audit Get Lighthouse scores, failing audits, and the DOM nodes they flag for accessibility, SEO, best practices, and agentic browsing.
chrome/performance_start_trace Start a performance trace on the target webpage.
chrome/performance_stop_trace Stop the active performance trace recording on the target webpage.
chrome/performance_analyze_insight Provides more detailed information on a specific Performance Insight of an insight set that was highlighted in the results of a trace recor…
chrome/list_network_requests Lists the most recent requests for the target page since the last navigation.
chrome/get_network_request Gets a network request by an optional reqid, if omitted returns the currently selected request in the DevTools Network panel.
chrome/get_console_message Gets a console message by its ID.
chrome/take_screenshot Take a screenshot of the page or element.
chrome/open_devtools Open a DevTools window for the selected page.
chrome/get_devtools_comments Retrieve user comments from the DevTools window for the page.
chrome/resolve_devtools_comment Append an agent reply to a DevTools comment thread and mark it as resolved.
chrome/reveal_in_devtools Navigate DevTools to a specified panel and highlight a target DOM node or network request.
chrome/get_css_styles Retrieve matched CSS rules, inline styles (element.style), inherited styles, custom properties, and cascade wrappers (@layer, @media, @cont…
chrome/take_snapshot Take a text snapshot of the target page based on the a11y tree.
chrome/wait_for Wait for the specified text to appear on the selected page.
chrome/emulate Emulates various features on the target page.
chrome/evaluate_script Evaluate JavaScript inside the target page
chrome/screencast_start Starts recording a screencast (video) of the target page.
chrome/screencast_stop Stops the active screencast recording on the target page.
chrome/install_extension Installs a Chrome extension from the given path.
chrome/uninstall_extension Uninstalls a Chrome extension by its ID.
chrome/list_extensions Lists all the Chrome extensions installed in the browser.
chrome/reload_extension Reloads an unpacked Chrome extension by its ID.
chrome/trigger_extension_action Triggers the default action of an extension by its ID.
chrome/list_3p_developer_tools Lists all third-party developer tools the page exposes for providing runtime information (including debugging WebMCP tools and tools expose…
chrome/execute_3p_developer_tool Executes a third-party developer tool exposed by the page.
chrome/click Clicks on the provided element
chrome/click_at Clicks at the provided coordinates
chrome/hover Hover over the provided element
chrome/fill Type text into an input, text area or select an option from a <select> element.
chrome/type_text Type text using keyboard into a previously focused input
chrome/drag Drag an element onto another element
chrome/fill_form Fill out multiple form elements (inputs, selects, checkboxes, radios) at once.
chrome/upload_file Upload a file through a provided element.
chrome/press_key Press a key or key combination.
chrome/list_pages Get a list of pages
chrome/select_page Select a page as a context for future tool calls.
chrome/close_page Closes the page by its index.
chrome/new_page Open a new tab and load a URL.
chrome/navigate_page Go to a URL, or back, forward, or reload.
chrome/resize_page Resizes the page's window so that the page has specified dimension
chrome/handle_dialog If a browser dialog was opened, use this command to handle it
chrome/get_tab_id Get the tab ID of the page
chrome/list_webmcp_tools Lists all WebMCP tools the page exposes (excluding debugging tools, which are exposed via 'list_3p_developer_tools').
chrome/execute_webmcp_tool Executes a WebMCP tool exposed by the page (for debugging tools, use 'execute_3p_developer_tool').
everything/get-structured-content Returns structured content along with an output schema for client data validation
everything/trigger-elicitation-request-async Trigger an async elicitation request that the CLIENT executes as a background task.
everything/echo Echoes back the input string
everything/toggle-subscriber-updates Toggles simulated resource subscription updates on or off.
everything/gzip-file-as-resource Compresses a single file using gzip compression.
everything/trigger-long-running-operation Demonstrates a long running operation with progress updates.
everything/toggle-simulated-logging Toggles simulated, random-leveled logging on or off.
everything/get-resource-reference Returns a resource reference that can be used by MCP clients
everything/trigger-sampling-request-async Trigger an async sampling request that the CLIENT executes as a background task.
everything/get-roots-list Lists the current MCP roots provided by the client.
everything/trigger-sampling-request Trigger a Request from the Server for LLM Sampling
everything/get-annotated-message Demonstrates how annotations can be used to provide metadata about content.
everything/get-env Returns all environment variables, helpful for debugging MCP server configuration
everything/trigger-url-elicitation Trigger a URL elicitation so the client can direct the user to a browser flow.
everything/get-sum Returns the sum of two numbers
everything/get-resource-links Returns up to ten resource links that reference different types of resources
everything/trigger-elicitation-request Trigger a Request from the Server for User Elicitation
everything/get-tiny-image Returns a tiny MCP logo image.
excel/excel_describe_sheets List all sheet information of specified Excel file.
excel/excel_read_sheet Read values from Excel sheet with pagination.
excel/excel_screen_capture Take a screenshot of the Excel sheet with pagination.
excel/excel_write_to_sheet Write values to the Excel sheet.
excel/excel_create_table Create a table in the Excel sheet
excel/excel_copy_sheet Copy existing sheet to a new sheet
excel/excel_format_range Format cells in the Excel sheet with style information
files/read_file Read the complete contents of a file as text.
files/read_text_file Read the complete contents of a file from the file system as text.
files/read_media_file Read a file and return it as a base64-encoded content block with its MIME type.
files/read_multiple_files Read the contents of multiple files simultaneously.
files/write_file Create a new file or completely overwrite an existing file with new content.
files/edit_file Make line-based edits to a text file.
files/create_directory Create a new directory or ensure a directory exists.
files/list_directory Get a detailed listing of all files and directories in a specified path.
files/list_directory_with_sizes Get a detailed listing of all files and directories in a specified path, including sizes.
files/directory_tree Get a recursive tree view of files and directories as a JSON structure.
files/move_file Move or rename files and directories.
files/search_files Recursively search for files and directories matching a pattern.
files/get_file_info Retrieve detailed metadata about a file or directory.
files/list_allowed_directories Returns the list of directories that this server is allowed to access.
firecrawl/firecrawl_monitor_list List monitors for the authenticated account with optional pagination controls.
firecrawl/firecrawl_monitor_get Retrieve one monitor by ID, including its configuration and current state.
firecrawl/firecrawl_monitor_delete Permanently delete a monitor by ID and stop its future schedule.
firecrawl/firecrawl_monitor_run Queue an immediate check for a monitor outside its normal schedule.
firecrawl/firecrawl_monitor_checks List historical checks for a monitor, optionally filtered by status and bounded by a result limit.
firecrawl/firecrawl_monitor_check Retrieve one monitor check and its page-level results, optionally filtered by page status.
firecrawl/firecrawl_research_search_papers Search paper metadata and abstracts with a natural-language query across the indexed corpus, which spans biomedical, life-science, and clin…
firecrawl/firecrawl_research_inspect_paper Retrieve canonical metadata for one paper ID, such as an arXiv, PMC, PMID, or DOI identifier.
firecrawl/firecrawl_research_related_papers Find citation-graph candidates from one to ten
firecrawl/firecrawl_research_read_paper Retrieve in-body passages from one paper that are relevant to a specific question.
firecrawl/firecrawl_credit_usage Get the authenticated Firecrawl team's current credit balance or historical credit consumption.
firecrawl/firecrawl_scrape Scrape one URL and return its content: markdown by default, or HTML, links, screenshots, branding data, a targeted answer, or JSON matching…
firecrawl/firecrawl_map Enumerate URLs indexed under one website through Firecrawl without fetching each page's content.
firecrawl/firecrawl_search Search web, news, or image sources and return ranked results with query-relevant highlights.
firecrawl/firecrawl_find_tools Browse Alexandria data providers and workflows or read a selected contract.
firecrawl/firecrawl_search_feedback Records schema-validated quality feedback for a prior
firecrawl/firecrawl_feedback Submit concise quality feedback for a completed search, scrape, parse, or map job.
firecrawl/firecrawl_crawl Start a multi-page crawl at a website URL, poll it to a terminal state, and return the final status and collected data.
firecrawl/firecrawl_check_crawl_status Retrieve the current status, progress, and available results for an existing crawl ID.
firecrawl/firecrawl_agent Run web research that returns structured data when the URLs are not known or the answer spans several sites.
firecrawl/firecrawl_agent_status Retrieve progress or final results for a
firecrawl/firecrawl_interact Open or reuse a live browser session to navigate a page, click controls, fill fields, or run browser code.
firecrawl/firecrawl_interact_stop Stop the live interact session associated with a
firecrawl/firecrawl_parse Parse one supported document into markdown, HTML, links, summary, targeted answers, or JSON matching a schema.
git/git_changelog_analyze Gather git history context (commits, tags) and structured review instructions to support LLM-driven changelog analysis.
git/git_blame Show line-by-line authorship information for a file, displaying who last modified each line and when.
git/git_clean Remove untracked files from the working directory.
git/git_clear_working_dir Clear the session working directory setting.
git/git_clone Clone a repository from a remote URL or local path.
git/git_init Initialize a new Git repository at the specified path.
git/git_reflog View the reference logs (reflog) to track when branch tips and other references were updated.
git/git_set_working_dir Set the session working directory for all git operations so subsequent calls can omit the path parameter.
git/git_status Show the working tree status including staged, unstaged, and untracked files.
git/git_wrapup_instructions Returns a Git wrap-up protocol: an acceptance-criteria checklist the agent must satisfy before the session is considered shipped.
git/git_add Stage files for commit.
git/git_commit Create a new commit with staged changes in the repository.
git/git_diff View differences between commits, branches, or working tree.
git/git_log View commit history with optional filtering by author, date range, file path, or commit message pattern.
git/git_show Show details of a git object (commit, tree, blob, or tag).
git/git_branch Manage branches: list all branches, show current branch, create a new branch, delete a branch, or rename a branch.
git/git_checkout Switch branches or restore working tree files.
git/git_cherry_pick Cherry-pick commits from other branches.
git/git_merge Merge branches together.
git/git_rebase Rebase commits onto another branch.
git/git_fetch Fetch updates from a remote repository.
git/git_pull Pull changes from a remote repository.
git/git_push Push changes to a remote repository.
git/git_remote Manage remote repositories: list remotes, add new remotes, remove remotes, rename remotes, or get/set remote URLs.
git/git_reset Reset current HEAD to specified state.
git/git_stash Manage stashes: list stashes, save current changes (push), restore changes (pop/apply), or remove stashes (drop/clear).
git/git_tag Manage tags: list all tags, create a new tag, delete a tag, or verify a signed tag.
git/git_worktree Manage multiple working trees: list worktrees, add new worktrees for parallel work, remove worktrees, or move worktrees to new locations.
gitlab/create_or_update_file Create or update a single file in a GitLab project
gitlab/search_repositories Search for GitLab projects
gitlab/create_repository Create a new GitLab project
gitlab/get_file_contents Get the contents of a file or directory from a GitLab project
gitlab/push_files Push multiple files to a GitLab project in a single commit
gitlab/create_issue Create a new issue in a GitLab project
gitlab/create_merge_request Create a new merge request in a GitLab project
gitlab/fork_repository Fork a GitLab project to your account or specified namespace
gitlab/create_branch Create a new branch in a GitLab project
kubernetes/list_namespaces List all namespaces
kubernetes/create_deployment Create a new Kubernetes deployment
kubernetes/cleanup Cleanup all managed resources
kubernetes/kubectl_patch Update field(s) of a resource using strategic merge patch, JSON merge patch, or JSON patch
kubernetes/kubectl_describe Describe Kubernetes resources by resource type, name, and optionally namespace
kubernetes/kubectl_scale Scale a Kubernetes deployment
kubernetes/kubectl_apply Apply a Kubernetes YAML manifest from a string or file
kubernetes/exec_in_pod Execute a command in a Kubernetes pod or container and return the output.
kubernetes/kubectl_rollout Manage the rollout of a resource (e.g., deployment, daemonset, statefulset)
kubernetes/ping Verify that the counterpart is still responsive and the connection is alive.
kubernetes/kubectl_generic Execute any kubectl command with the provided arguments and flags
kubernetes/port_forward Forward a local port to a port on a Kubernetes resource
kubernetes/stop_port_forward Stop a port-forward process
kubernetes/explain_resource Get documentation for a Kubernetes resource or field
kubernetes/list_api_resources List the API resources available in the cluster
kubernetes/kubectl_logs Get logs from Kubernetes resources like pods, deployments, or jobs
kubernetes/kubectl_reconnect Reconnect to the Kubernetes API server by recreating all API clients.
kubernetes/kubectl_get Get or list Kubernetes resources by resource type, name, and optionally namespace
kubernetes/install_helm_chart Install a Helm chart with support for both standard and template-based installation
kubernetes/upgrade_helm_chart Upgrade an existing Helm chart release
kubernetes/uninstall_helm_chart Uninstall a Helm chart release
kubernetes/kubectl_delete Delete Kubernetes resources by resource type, name, labels, or from a manifest file
kubernetes/kubectl_context Manage Kubernetes contexts - list, get, or set the current context
kubernetes/kubectl_create Create Kubernetes resources using various methods (from file or using subcommands)
kubernetes/node_management Manage Kubernetes nodes with cordon, drain, and uncordon operations
maps/maps_geocode Convert an address into geographic coordinates
maps/maps_reverse_geocode Convert coordinates into an address
maps/maps_search_places Search for places using Google Places API
maps/maps_place_details Get detailed information about a specific place
maps/maps_distance_matrix Calculate travel distance and time for multiple origins and destinations
maps/maps_elevation Get elevation data for locations on the earth
maps/maps_directions Get directions between two points
memory/create_entities Create multiple new entities in the knowledge graph
memory/create_relations Create multiple new relations between entities in the knowledge graph.
memory/add_observations Add new observations to existing entities in the knowledge graph
memory/delete_entities Delete multiple entities and their associated relations from the knowledge graph
memory/delete_observations Delete specific observations from entities in the knowledge graph
memory/delete_relations Delete multiple relations from the knowledge graph
memory/read_graph Read the entire knowledge graph
memory/search_nodes Search for nodes in the knowledge graph based on a query
memory/open_nodes Open specific nodes in the knowledge graph by their names
mongodb/aggregate Run an aggregation against a MongoDB collection
mongodb/aggregate-db Run an aggregation against a MongoDB database
mongodb/collection-indexes Describe the indexes for a collection
mongodb/collection-schema Describe the schema for a collection
mongodb/collection-storage-size Gets the size of the collection
mongodb/connect Tools that allow you to connect or switch the connection to a MongoDB instance.
mongodb/count Gets the number of documents in a MongoDB collection using db.collection.count() and query as an optional filter parameter
mongodb/create-collection Creates a new collection in a database.
mongodb/create-index Create an index for a collection
mongodb/db-stats Returns statistics that reflect the use state of a single database
mongodb/delete-many Removes all documents that match the filter from a MongoDB collection
mongodb/disconnect Close a MongoDB connection and revoke its connectionId.
mongodb/drop-collection Removes a collection or view from the database.
mongodb/drop-database Removes the specified database, deleting the associated data files
mongodb/drop-index Drop an index for the provided database and collection.
mongodb/explain Returns statistics describing the execution of the winning plan chosen by the query optimizer for the evaluated method
mongodb/export Export a query or aggregation results in the specified EJSON format.
mongodb/find Run a find query against a MongoDB collection
mongodb/insert-many Insert an array of documents into a MongoDB collection.
mongodb/list-collections List all collections for a given database
mongodb/list-connections List the active MongoDB connections and their connectionIds.
mongodb/list-databases List all databases for a MongoDB connection
mongodb/mongodb-logs Returns the most recent logged mongod events
mongodb/rename-collection Renames a collection in a MongoDB database
mongodb/update-many Updates all documents that match the specified filter for a collection.
mongodb/list-knowledge-sources List available data sources in the MongoDB Assistant knowledge base.
mongodb/search-knowledge Search for information in the MongoDB Assistant knowledge base.
postgres/query Run a read-only SQL query
puppeteer/puppeteer_navigate Navigate to a URL
puppeteer/puppeteer_screenshot Take a screenshot of the current page or a specific element
puppeteer/puppeteer_click Click an element on the page
puppeteer/puppeteer_fill Fill out an input field
puppeteer/puppeteer_select Select an element on the page with Select tag
puppeteer/puppeteer_hover Hover an element on the page
puppeteer/puppeteer_evaluate Execute JavaScript in the browser console
redis/set Set a Redis key-value pair with optional expiration
redis/get Get value by key from Redis
redis/delete Delete one or more keys from Redis
redis/list List Redis keys matching a pattern
slack/slack_list_channels List public or pre-defined channels in the workspace with pagination
slack/slack_post_message Post a new message to a Slack channel
slack/slack_reply_to_thread Reply to a specific message thread in Slack
slack/slack_add_reaction Add a reaction emoji to a message
slack/slack_get_channel_history Get recent messages from a channel
slack/slack_get_thread_replies Get all replies in a message thread
slack/slack_get_users Get a list of all users in the workspace with their basic profile information
slack/slack_get_user_profile Get detailed profile information for a specific user
sqlite/read_query Execute a SELECT query on the SQLite database
sqlite/write_query Execute an INSERT, UPDATE, or DELETE query on the SQLite database
sqlite/create_table Create a new table in the SQLite database
sqlite/list_tables List all tables in the SQLite database
sqlite/describe_table Get the schema information for a specific table
tavily/tavily_search Search the web for current information on any topic.
tavily/tavily_extract Extract content from URLs.
tavily/tavily_crawl Crawl a website starting from a URL.
tavily/tavily_map Map a website's structure.
tavily/tavily_research Perform comprehensive research on a given topic or question.
`;

export const realTools: readonly OfferedTool[] = lines
  .trim()
  .split('\n')
  .map((line) => {
    const [, server = '', name = '', description = ''] = /^([^/]+)\/(\S+) (.*)$/.exec(line) ?? [];
    const tool = { name, description, inputSchema: {}, digests: { contract: '', text: '' } };
    return { server, name: `${server}__${name}`, tool, effect: { effect: 'read', from: 'server' } };
  });
