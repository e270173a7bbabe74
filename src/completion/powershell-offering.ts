import { clearedVariables, profileCommand } from "./values.ts";

const profileArguments = profileCommand.replace("pets ", "");
const emptiedNames = clearedVariables.map((name) => `'${name}'`).join(", ");

/** How the PowerShell script offers what may stand at the cursor, at the end of its script block. */
export const powershellOffering = `
    $results = New-Object System.Collections.ArrayList
    # PowerShell replaces $wordToComplete, which is the end of the word where a comma stands in it.
    $cut = 0
    if ($current.EndsWith($wordToComplete, $ordinal)) { $cut = $current.Length - $wordToComplete.Length }
    $offer = {
        param($candidate, $kind, $description)
        if (-not $candidate.StartsWith($current, $ordinal)) { return }
        if (-not $description) { $description = $candidate }
        $inserted = $candidate.Substring($cut)
        [void]$results.Add([System.Management.Automation.CompletionResult]::new($inserted, $candidate, $kind, $description))
    }
    $profiles = {
        $program = Get-Command pets -CommandType Application, ExternalScript -ErrorAction Ignore | Select-Object -First 1
        if (-not $program) { return }
        $exitCode = $global:LASTEXITCODE
        $set = @(Get-ChildItem env: | Where-Object { @(${emptiedNames}) -contains $_.Name })
        try {
            foreach ($variable in $set) { Set-Item -LiteralPath "env:$($variable.Name)" '' }
            $null | & $program ${profileArguments} 2>$null | Select-Object -Skip 1 |
                Where-Object { $_ -cmatch '^[A-Za-z0-9][A-Za-z0-9._-]*$' }
        } catch {
        } finally {
            foreach ($variable in $set) { Set-Item -LiteralPath "env:$($variable.Name)" $variable.Value }
            $global:LASTEXITCODE = $exitCode
        }
    }
    $offerValues = {
        param($source, $prefix)
        $value = $current.Substring($prefix.Length)
        if ($source -ceq 'files') {
            foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($value)) {
                [void]$results.Add([System.Management.Automation.CompletionResult]::new(
                    "$prefix$($file.CompletionText)".Substring($cut), $file.ListItemText, $file.ResultType, $file.ToolTip))
            }
            return
        }
        $choices = @()
        if ($source -ceq 'profiles') { $choices = @(& $profiles) }
        $source = $sources[$source]
        $head = ''
        $end = ''
        if ($source) {
            $choices = $source.Words
            $end = $source.End
            if ($source.List) { $head = $value.Substring(0, $value.LastIndexOf(',') + 1) }
        }
        foreach ($choice in $choices) {
            $separator = $end
            if (-not $separator) { $separator = ',' }
            if (",$head".IndexOf(",$choice$separator", $ordinal) -ge 0) { continue }
            & $offer "$prefix$head$choice$end" 'ParameterValue' $choice
        }
    }

    $node = $table[$command]
    if ($pending) { & $offerValues $pending '' }
    elseif ($dashes) {
        if ($node.Argument -ceq 'command') {
            if ($taken -eq 0) { return [System.Management.Automation.CompletionCompleters]::CompleteCommand($current) }
            & $offerValues 'files' ''
        } elseif ($node.Argument -and $taken -eq 0) { & $offerValues $node.Argument '' }
    } elseif ($current -cmatch '^--[^=]*=') {
        $option = & $find $Matches[0].TrimEnd('=')
        if ($option -and $option.Value) { & $offerValues $option.Value $Matches[0] }
    } elseif ($current.StartsWith('-', $ordinal)) {
        foreach ($option in $node.Options) {
            if ($given -ccontains $option.Long -and -not $option.Repeats) { continue }
            & $offer $option.Long 'ParameterName' $option.Description
            if ($option.Short) { & $offer $option.Short 'ParameterName' $option.Description }
        }
        for ($place = 1; $place -lt $current.Length - 1; $place++) {
            if ($current.StartsWith('--', $ordinal)) { break }
            $option = & $find "-$($current[$place])"
            if ($option -and $option.Value) {
                & $offerValues $option.Value $current.Substring(0, $place + 1)
                break
            }
        }
    } elseif ($taken -eq 0) {
        foreach ($word in $node.Subcommands) { & $offer $word.Name 'ParameterValue' $word.Description }
        if ($node.Argument -and $node.Argument -cne 'command') { & $offerValues $node.Argument '' }
    }
    # Without a result PowerShell would offer files.
    if ($results.Count -eq 0) { return '' }
    $results
}
`;
